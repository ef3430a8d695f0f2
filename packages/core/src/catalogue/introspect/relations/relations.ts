// nameRelations: foreign keys and junctions → the relations of models, with a name on both sides: `album.artist`, `artist.albums`.

import { toCase } from '../../../lib/naming/case.ts'
import { pluralSnake } from '../../../lib/naming/plural.ts'
import {
  belongsTo,
  hasMany,
  hasOne,
  type Key,
  manyToMany,
  type Relation,
} from '../../../model/relation.ts'
import { ownName } from '../../shared/catalogue.ts'
import type { DeleteRule } from '../../shared/delete-rule.ts'
import { compositeStem, firstFree, isRelationName, singularSnake } from '../model-names.ts'
import type { Link, ModelDraft } from './foreign-key-links.ts'
import type { JunctionDraft } from './junctions.ts'

/** Relations of each draft by model name. */
export type RelationsByModel = ReadonlyMap<string, Readonly<Record<string, Relation>>>

/** What the database does with the records of a relation when their record is deleted. */
export interface RelationDeletes {
  readonly model: string
  readonly relation: string
  readonly rule: DeleteRule
}

export interface NamedRelations {
  readonly relations: RelationsByModel
  readonly deletes: readonly RelationDeletes[]
}

/**
 * Makes and names the relations, in three rounds: those by a table's own foreign keys (`album.artist`), so that these get the plain names;
 * their other sides (`artist.albums`); those across junctions (`playlist.tracks`).
 */
export function nameRelations(
  drafts: readonly ModelDraft[],
  links: readonly Link[],
  junctions: readonly JunctionDraft[],
): NamedRelations {
  const relations = new Map<string, Record<string, Relation>>()
  const deletes: RelationDeletes[] = []
  for (const draft of drafts) relations.set(draft.model, {})
  /** Adds a relation under the first of the names that is free. */
  const add = (
    owner: ModelDraft,
    candidates: readonly string[],
    relation: Relation,
    rule?: DeleteRule,
  ): void => {
    const own = relations.get(owner.model)
    if (own === undefined) return
    const segments = new Set(Object.keys(own).map(segment))
    const isFree = (name: string): boolean =>
      isRelationName(name) && !segments.has(segment(name)) && !Object.hasOwn(owner.columns, name)
    // A column name may begin with a digit, but a name in a request may not.
    const names = candidates.map((name) => name.replace(/^(?=[0-9])/, '_'))
    const name = firstFree(names, isFree)
    own[name] = relation
    if (rule !== undefined) deletes.push({ model: owner.model, relation: name, rule })
  }
  // Pure junctions get no model: their foreign keys make no relations but those across them.
  const pure = new Set(junctions.filter(({ pure }) => pure).map(({ draft }) => draft))
  const plain = links.filter((link) => !pure.has(link.child))
  for (const link of plain) add(link.child, upwardNames(link, plain), upward(link))
  for (const link of plain) {
    add(link.parent, downwardNames(link, plain), downward(link), link.onDelete)
  }
  for (const junction of junctions) {
    const { draft, ends } = junction
    const [first, second] = ends
    add(first.parent, acrossNames(draft, first, second), across(junction, first, second))
    add(second.parent, acrossNames(draft, second, first), across(junction, second, first))
  }
  return { relations, deletes }
}

/** Returns the path segment of a relation, which must be unique too; it has hyphens instead of underscores. */
const segment = (name: string): string => toCase(name, 'kebab')

/** Returns the fields of columns as relations declare them: one name, or a list of several. */
const key = (draft: ModelDraft, columns: readonly string[]): Key => {
  const fields = columns.map((column) => draft.fields.get(column) ?? column)
  return fields.length === 1 ? (fields[0] ?? '') : fields
}

/** The option `references`, which only a foreign key to another column than the primary key needs. */
const references = (link: Link): { references?: Key } =>
  link.toKey ? {} : { references: key(link.parent, link.references) }

/** The relation from the table with the foreign key: `album.artist`. */
function upward(link: Link): Relation {
  return belongsTo(link.parent.model, key(link.child, link.columns), references(link))
}

/** The relation to the table with the foreign key: `artist.albums`. */
function downward(link: Link): Relation {
  const relation = link.unique ? hasOne : hasMany
  return relation(link.child.model, key(link.child, link.columns), references(link))
}

/** `from` and `to` of the relation are names of database columns, unlike those of `key`, which are names of fields. */
function across({ draft: { table }, repeats }: JunctionDraft, from: Link, to: Link): Relation {
  const columns = (link: Link): Key =>
    link.columns.length === 1 ? (link.columns[0] ?? '') : link.columns
  const { place } = table
  return manyToMany(to.parent.model, {
    through: ownName(table),
    ...(place === undefined ? {} : { schema: place.schema }),
    from: columns(from),
    to: columns(to),
    ...(repeats ? { repeats } : {}),
  })
}

const singularName = (draft: ModelDraft): string => toCase(draft.model, 'snake')

/** The links between the same two tables. */
const parallel = (link: Link, links: readonly Link[]): readonly Link[] =>
  links.filter((other) => other.child === link.child && other.parent === link.parent)

/** Whether the link is the only one of several columns between its two tables. */
const isAloneComposite = (link: Link, links: readonly Link[]): boolean =>
  parallel(link, links).filter((other) => other.columns.length > 1).length === 1

/**
 * Returns the name that the foreign key's columns give the target, or the target's own name if they give it none: `target_by_…` with the
 * columns if it is one of several composite keys between the two tables.
 */
function stem(link: Link, links: readonly Link[]): string {
  const target = singularName(link.parent)
  const said = compositeStem(link.columns, link.references, target)
  const isAlone = parallel(link, links).length === 1
  // One letter names nothing by itself: `u_id` of a user.
  if (said.length === 1) return isAlone ? target : `${said}_${target}`
  if (said !== '') return said
  return link.columns.length === 1 || isAloneComposite(link, links)
    ? target
    : `${target}_by_${link.columns.map((name) => singularSnake(name)).join('_')}`
}

/**
 * Names for the relation to the parent: `artist`; if that is taken, often by the column itself, `reports_to_employee` or
 * `author_record`.
 */
function upwardNames(link: Link, links: readonly Link[]): string[] {
  const name = stem(link, links)
  const target = singularName(link.parent)
  const says = name === target || name.endsWith(`_${target}`)
  return [name, says ? `${name}_record` : `${name}_${target}`]
}

/**
 * Names for the relation to the children: `albums`, or `profile` if there can be only one child; `games_by_home_team` if several
 * foreign keys of the child refer to the parent.
 */
function downwardNames(link: Link, links: readonly Link[]): string[] {
  const child = singularName(link.child)
  const name = link.unique ? child : pluralSnake(child)
  const precise = `${name}_by_${stem(link, links)}`
  return parallel(link, links).length > 1 ? [precise] : [name, precise]
}

/** Names for the relation across a junction: `tracks`; if both ends are the same table, after the column of the other end: `friends`. */
function acrossNames(junction: ModelDraft, from: Link, to: Link): string[] {
  const self = from.parent === to.parent
  const target = self ? stem(to, [from, to]) : singularName(to.parent)
  const name = pluralSnake(target)
  return [name, `${name}_through_${singularName(junction)}`]
}
