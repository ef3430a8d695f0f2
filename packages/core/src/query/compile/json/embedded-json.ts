// Compiles an embed to a subquery that returns the related objects of a row as JSON, with the same bytes that `query/serialize` would
// write: `[{"id":1,"title":"Emma"},…]`. It is a column of the statement of the parent rows, so no statement of its own is sent. For
// the shortcut `jsonText`, which PostgreSQL has; with `objectText`, SQLite builds whole objects instead (`object-json.ts`).

import type { JsonText } from '../../../dialect/shared/json/json-text.ts'
import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { ResolvedRelation } from '../../../model/registry/resource.ts'
import type { EmbedPlan, Source } from '../../plan/plan.ts'
import { collectionUrl } from '../../serialize/links.ts'
import { slotParam } from '../bound-target.ts'
import { orderBy } from '../rows/clauses.ts'
import { compileAll } from '../rows/condition.ts'
import { orderTerms } from '../rows/row-order.ts'
import { plainAlias, registryName } from '../selection.ts'
import { columnOf, relatedRows } from '../source.ts'
import type { Target } from '../target.ts'

/** Options of the JSON, and its limits. */
export interface EmbeddedJsonOptions {
  /** The beginning of emitted URLs. */
  readonly base: string
  /** Maximum rows of one list: one more than a request may embed, so that the service notices if the limit is exceeded. */
  readonly maxRows: number
  /** Maximum number of parent rows. */
  readonly parents: number
}

/** The slot of the beginning of links, `/api`, which may differ between requests that share a stored statement. */
export const linkBaseSlot: object = { name: 'beginning of links' }

/** Compiles the JSON of a relation of `from`; undefined if the database could write other bytes than `query/serialize`. */
export function compileEmbeddedJson(
  target: Target,
  from: Source,
  embed: EmbedPlan,
  options: EmbeddedJsonOptions,
): Fragment | undefined {
  const jsonText = target.dialect.shortcuts?.jsonText
  const maxPerList = maxPerListOf(embed, options.parents)
  return jsonText && jsonOf({ target, jsonText, options, maxPerList }, from, embed, [from.alias])
}

/**
 * Maximum objects in the JSON of one relation, including nested ones: the database builds nested lists before the service can count
 * their rows.
 */
const maxObjects = 50_000

/** Returns the maximum rows per list, such that all lists together have at most `maxObjects`. */
const maxPerListOf = (embed: EmbedPlan, parents: number): number =>
  Math.max(1, Math.floor((maxObjects / parents) ** (1 / listDepth(embed))))

/** Returns how deeply lists are nested; at least 1. */
const listDepth = (embed: EmbedPlan): number => Math.max(1, depthOf(embed))

const depthOf = ({ relation, embeds }: EmbedPlan): number =>
  Math.max(0, ...embeds.map(depthOf)) + (relation.cardinality === 'many' ? 1 : 0)

/** What the functions below share. */
interface JsonContext {
  readonly target: Target
  readonly jsonText: JsonText
  readonly options: EmbeddedJsonOptions
  /** Maximum rows per list; a relation with a longer list is read as rows instead. */
  readonly maxPerList: number
}

/** Compiles the list or object of a relation; `outerAliases` are those of the sources around the subquery. */
function jsonOf(
  context: JsonContext,
  from: Source,
  embed: EmbedPlan,
  outerAliases: readonly string[],
): Fragment | undefined {
  const { target, jsonText, options, maxPerList } = context
  const { relation, rows: plan, limit } = embed
  const source = plan.from
  // If the subquery used the same alias as an outer source, it could not refer to the outer row.
  if (outerAliases.includes(source.alias) || plan.joins.length > 0) return undefined
  const members = membersOf(context, embed, [...outerAliases, source.alias])
  if (members === undefined) return undefined
  const chosen = compileAll(target, plan.where)
  const rows = relatedRows(target, { from, relation, source })
  const where = chosen === undefined ? rows : sql`${rows} and ${chosen}`
  const many = relation.cardinality === 'many'
  const requested = many ? Math.min(limit ?? options.maxRows, options.maxRows) : 1
  const isShort = requested <= maxPerList
  // One row more shows that a list is too long; `jsonText.list` then returns a mark, and the relation is read as rows.
  const limited = isShort ? requested : maxPerList + 1
  const select = sql`select ${sql.join(members)} from ${where}${orderBy(orderTerms(target, plan))} limit ${limitValue(target.dialect, limited)}`
  return many ? jsonText.list(select, isShort ? undefined : maxPerList) : jsonText.object(select)
}

/** Returns the members in the order in which `query/serialize` writes them: visible columns, then relations in the order of the model. */
function membersOf(
  context: JsonContext,
  { relation, rows, embeds, links }: EmbedPlan,
  outerAliases: readonly string[],
): readonly Fragment[] | undefined {
  const { jsonText } = context
  const members: Fragment[] = []
  const names = new Set<string>()
  const add = (name: string, value: unknown): boolean => {
    if (value === undefined || !plainAlias.test(name) || names.has(name)) return false
    names.add(name)
    members.push(sql`${value} as ${sql.id(name)}`)
    return true
  }
  for (const output of rows.output) {
    const { value, visible } = output
    if (!visible) continue
    if (value.kind !== 'column' || value.source !== rows.from) return undefined
    const { column } = value
    const name = registryName(output)
    if (name === undefined || !add(name, jsonText.value(column, columnOf(rows.from, column)))) {
      return undefined
    }
  }
  for (const inner of relation.target.relations.values()) {
    const embedded = embeds.find((candidate) => candidate.relation === inner)
    if (embedded !== undefined) {
      const json = jsonOf(context, rows.from, embedded, outerAliases)
      if (!add(inner.name, json && jsonText.nested(json))) return undefined
    } else if (links.includes(inner) && !add(inner.name, linkOf(context, rows.from, inner))) {
      return undefined
    }
  }
  return members.length === 0 ? undefined : members
}

/** Compiles the URL of a relation, `/api/books/1/author`; NULL if the foreign key of a to-one relation is NULL. */
function linkOf(
  { target, jsonText, options }: JsonContext,
  source: Source,
  relation: ResolvedRelation,
): Fragment | undefined {
  const { address } = relation
  if (address === null) return undefined
  const key = address.key.map((column) => jsonText.keyPart(column, columnOf(source, column)))
  if (key.some((part) => part === undefined)) return undefined
  const text = (literal: string): Fragment => jsonText.text(sql`${literal}`)
  const parts = key.flatMap((part, i) => (i === 0 ? [part] : [text(','), part])) as Fragment[]
  const url = jsonText.joined([
    jsonText.text(sql`${slotParam(target, linkBaseSlot, options.base)}`),
    text(`${collectionUrl(address.resource, '')}/`),
    ...parts,
    ...(address.rest === '' ? [] : [text(address.rest)]),
  ])
  if (relation.kind !== 'belongsTo') return url
  const missing = relation.from.map((column) => sql`${columnOf(source, column)} is null`)
  return sql`case when ${sql.join(missing, sql` or `)} then null else ${url} end`
}
