// Resolves the relations of a resource when the registry is built: names become columns of both sides; a name that does not exist becomes a
// problem. `at` is the place in messages: `models.Book.relations.author`.

import { toCase } from '../../../lib/naming/case.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { tableKey } from '../../../lib/sql/table-name.ts'
import { columnTypes } from '../../column-types.ts'
import type { AnyModel } from '../../define-model.ts'
import { type Key, keyNames, type Relation } from '../../relation.ts'
import type { Problems } from '../../settings/setting-problems.ts'
import type { EndpointCase } from '../../settings/settings.ts'
import { canBeKey } from '../../type-rules.ts'
import { checkRelation } from '../checks/check-relation.ts'
import type { ColumnPair, NamedColumn, ResolvedRelation, Resource } from '../resource.ts'
import { isKeyless } from '../row-identity.ts'
import { findStored, foreignKey } from './junction.ts'
import { addressOf } from './relation-address.ts'
import { resolveRelationOrder } from './relation-order.ts'

/** A table with the columns of all its models, published or not. */
export interface DeclaredTable {
  readonly columns: ReadonlySet<string>
  /** Its first published model. */
  readonly resource: Resource | undefined
}

/** The models and tables that relations refer to. */
export interface RelationScope {
  /** Every declared model by name, published or not. */
  readonly models: ReadonlyMap<string, AnyModel>
  /** The declared tables, by their `tableKey`. */
  readonly tables: ReadonlyMap<string, DeclaredTable>
  /** The published models. */
  readonly byName: ReadonlyMap<string, Resource>
  readonly endpointCase: EndpointCase
  readonly problems: Problems
}

/** Resolves the columns of a key; undefined if there was a problem. `hint` completes the message about a column that does not exist. */
function keyColumns(
  resource: Resource,
  key: Key,
  at: string,
  problems: Problems,
  hint?: string,
): readonly NamedColumn[] | undefined {
  const columns: NamedColumn[] = []
  for (const name of keyNames(key)) {
    const column = resource.allColumns.get(name)
    const wrong = column === undefined ? noColumn(resource, name, hint) : notAKey(column)
    if (wrong !== undefined) problems.add(at, wrong)
    else if (column !== undefined) columns.push(column)
  }
  return columns.length === keyNames(key).length ? columns : undefined
}

/** The message about a key column that the model does not have. */
function noColumn(resource: Resource, name: string, hint?: string): string {
  for (const column of resource.allColumns.values()) {
    if (column.dbName !== name) continue
    return `"${name}" is a name of the database; the field of ${resource.name} is "${column.name}".`
  }
  const end = hint ?? didYouMean(name, resource.allColumns.keys())
  return `${resource.name} has no column "${name}".${end}`
}

/** Names the right kind of relation if the model on the other side has the columns of the key. */
function otherKind(
  { kind, key }: Exclude<Relation, { kind: 'manyToMany' }>,
  source: Resource,
  target: Resource,
): string | undefined {
  const other = kind === 'belongsTo' ? target : source
  if (source === target || !keyNames(key).every((name) => other.allColumns.has(name)))
    return undefined
  const right = kind === 'belongsTo' ? 'hasMany' : 'belongsTo'
  const named =
    typeof key === 'string' ? `'${key}'` : `[${key.map((name) => `'${name}'`).join(', ')}]`
  return ` ${other.name} has it, so this relation is a ${right}: ${right}('${target.name}', ${named}).`
}

/** Returns why a column cannot be part of a key. */
function notAKey({ name, type, computed }: NamedColumn): string | undefined {
  if (computed !== undefined) return `"${name}" is a computed column; a key needs a stored one.`
  return canBeKey({ type }) ? undefined : `"${name}" is of type ${type}, which cannot be a key.`
}

/** Whether values of the two columns can be equal in the database and in JSON. */
const typesAgree = (a: NamedColumn, b: NamedColumn): boolean =>
  a.type === b.type || (isText(a) && isText(b))

const isText = ({ type }: NamedColumn): boolean => columnTypes[type].text === 'any'

/** Pairs the columns of two keys. If the keys differ in length or in type, reports a problem and returns undefined. */
function pairUp(
  from: readonly NamedColumn[],
  to: readonly NamedColumn[],
  relation: { readonly source: Resource; readonly target: Resource; readonly at: string },
  problems: Problems,
): readonly ColumnPair[] | undefined {
  const { source, target, at } = relation
  const names = (columns: readonly NamedColumn[]) => columns.map(({ name }) => name).join(', ')
  const pairs = from.flatMap((column, i): readonly ColumnPair[] => {
    const other = to[i]
    return other === undefined ? [] : [{ from: column, to: other }]
  })
  if (from.length !== to.length) {
    problems.add(
      at,
      `the keys differ in length: (${names(from)}) of ${source.name}, (${names(to)}) of ${target.name}.`,
    )
    return undefined
  }
  const different = pairs.filter((pair) => !typesAgree(pair.from, pair.to))
  for (const pair of different) {
    problems.add(
      at,
      `${source.name}.${pair.from.name} is of type ${pair.from.type}, ${target.name}.${pair.to.name} of type ${pair.to.type}.`,
    )
  }
  return different.length === 0 ? pairs : undefined
}

/** What the keys of a relation's declaration decide. */
type RelationKeys = Pick<ResolvedRelation, 'pairs' | 'from' | 'to' | 'through'>

/** Resolves the key columns of both sides, for `belongsTo('Author', 'author_id')` the pair `author_id`, `id`; undefined if there was a problem. */
function sides(
  relation: Relation,
  source: Resource,
  target: Resource,
  at: string,
  scope: RelationScope,
): RelationKeys | undefined {
  const { problems } = scope
  if (relation.kind === 'manyToMany') {
    const keyless = [source, target].find(isKeyless)
    if (keyless === undefined) return junction(relation, source, target, at, scope)
    problems.add(at, `${keyless.name} has no primary key, and a junction pairs primary keys.`)
    return undefined
  }
  const holdsKey = relation.kind === 'belongsTo' ? source : target
  const referenced = relation.kind === 'belongsTo' ? target : source
  const hint = otherKind(relation, source, target)
  const key = keyColumns(holdsKey, relation.key, at, problems, hint)
  const references =
    relation.references === undefined
      ? referenced.primaryKey
      : keyColumns(referenced, relation.references, `${at}.references`, problems)
  if (relation.references === undefined && isKeyless(referenced)) {
    problems.add(at, referToUnique(referenced, relation.kind))
  }
  if (key === undefined || references === undefined || references.length === 0) return undefined
  if (relation.references !== undefined && !isUnique(references, referenced)) {
    problems.add(
      `${at}.references`,
      `(${keyNames(relation.references).join(', ')}) of ${referenced.name} is not unique; mark the column unique or reference a key.`,
    )
  }
  const [from, to] = relation.kind === 'belongsTo' ? [key, references] : [references, key]
  const pairs = pairUp(from, to, { source, target, at }, problems)
  return pairs && { pairs, from, to }
}

/** The message about a relation to a model without a primary key. */
function referToUnique({ name, allColumns }: Resource, kind: Relation['kind']): string {
  const unique = [...allColumns.values()].find(({ definition }) => definition.unique === true)
  const example = `${kind}(…, …, { references: '${unique?.name ?? 'code'}' })`
  return `${name} has no primary key to refer to. Name a unique column of it: ${example}; or mark its key primaryKey: true.`
}

/**
 * Whether the columns are known to be unique: a unique column or the primary key. A list of columns is assumed to be unique,
 * since the model may not declare the constraint.
 */
const isUnique = (columns: readonly NamedColumn[], resource: Resource): boolean =>
  columns.length > 1 ||
  columns.every(
    (column) =>
      column.definition.unique === true ||
      (resource.primaryKey.length === 1 && resource.primaryKey[0] === column),
  )

/** Resolves the foreign keys of the junction table of a many-to-many; undefined if there was a problem. */
function junction(
  relation: Extract<Relation, { kind: 'manyToMany' }>,
  source: Resource,
  target: Resource,
  at: string,
  { tables, problems }: RelationScope,
): RelationKeys | undefined {
  let isValid = true
  const name = { schema: relation.schema ?? source.schema, table: relation.through }
  const table = tables.get(tableKey(name))
  for (const [side, resource] of [
    ['from', source],
    ['to', target],
  ] as const) {
    const names = keyNames(relation[side])
    if (names.length !== resource.primaryKey.length) {
      const key = resource.primaryKey.map(({ name }) => name).join(', ')
      problems.add(
        `${at}.${side}`,
        `the keys differ in length: (${names.join(', ')}) of ${relation.through}, (${key}) of ${resource.name}.`,
      )
      isValid = false
    }
    for (const name of names) {
      const wrong = table && noJunctionColumn(table, relation.through, name)
      if (wrong === undefined) continue
      problems.add(`${at}.${side}`, wrong)
      isValid = false
    }
  }
  if (!isValid) return undefined
  const through = {
    ...name,
    from: foreignKey(keyNames(relation.from), source, table?.resource),
    to: foreignKey(keyNames(relation.to), target, table?.resource),
    resource: table?.resource,
    repeats: relation.repeats ?? mayRepeat(relation, table?.resource),
  }
  return { pairs: [], from: source.primaryKey, to: target.primaryKey, through }
}

/**
 * Whether pairs may repeat: the junction model declares no unique key within the columns of a pair. Without a published junction
 * model, pairs count as unique.
 */
function mayRepeat(
  { from, to }: Extract<Relation, { kind: 'manyToMany' }>,
  resource: Resource | undefined,
): boolean {
  if (resource === undefined) return false
  const pair = [...keyNames(from), ...keyNames(to)]
  return !resource.uniqueKeys.some((key) => key.every(({ dbName }) => pair.includes(dbName)))
}

/** Returns the problem with a junction table's key column, which must exist and be declared by a published junction model. */
function noJunctionColumn(
  { columns, resource }: DeclaredTable,
  through: string,
  name: string,
): string | undefined {
  if (!columns.has(name)) {
    return `the table ${through} has no column "${name}".${didYouMean(name, columns)}`
  }
  if (resource === undefined || findStored(resource, name) !== undefined) return undefined
  return `${resource.name} publishes the table ${through} and has no column for "${name}"; declare it, so that links follow the rules of ${resource.name}.`
}

/** A relation before its inverse is set. */
export type MutableRelation = { -readonly [K in keyof ResolvedRelation]: ResolvedRelation[K] }

/** Resolves the relations of a resource whose targets are published, by name, in model order; adds the mistakes to `scope.problems`. */
export function resolveRelations(
  source: Resource,
  scope: RelationScope,
): Map<string, MutableRelation> {
  const resolved = new Map<string, MutableRelation>()
  const segments = new Map<string, string>()
  for (const [name, relation] of Object.entries(source.model.relations)) {
    const at = `models.${source.name}.relations.${name}`
    if (!checkRelation(relation, at, scope.problems)) continue
    if (!scope.models.has(relation.target)) {
      const hint = didYouMean(relation.target, scope.models.keys())
      scope.problems.add(at, `no model named "${relation.target}".${hint}`)
      continue
    }
    const target = scope.byName.get(relation.target)
    // A relation to an unpublished model is not visible to clients.
    if (target === undefined) continue
    const segment = toCase(name, scope.endpointCase)
    const other = segments.get(segment)
    if (other !== undefined) {
      scope.problems.add(at, `shares the path segment "${segment}" with relation "${other}".`)
    }
    segments.set(segment, name)
    const columns = sides(relation, source, target, at, scope)
    if (columns === undefined) continue
    const { kind } = relation
    const cardinality = kind === 'belongsTo' || kind === 'hasOne' ? 'one' : 'many'
    const onDelete = ('on_delete' in relation ? relation.on_delete : undefined) ?? 'restrict'
    const order = resolveRelationOrder(relation, target, at, scope.problems)
    const facts = { name, segment, cardinality, kind, source, target, onDelete, order } as const
    const withoutAddress = { ...facts, ...columns }
    resolved.set(name, { ...withoutAddress, address: addressOf(withoutAddress) })
  }
  return resolved
}
