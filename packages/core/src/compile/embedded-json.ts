// EmbedPlan → a subquery that gives the related objects of one row as JSON text, the bytes that `serialize/` would write.

import type { JsonText } from '../dialect/shared/json-text.ts'
import { rowCount } from '../dialect/shared/row-count.ts'
import { collectionUrl } from '../http/links.ts'
import type { EmbedPlan, Source } from '../plan/plan.ts'
import type { ResolvedRelation } from '../registry/resource.ts'
import { type Fragment, madeOf, sql } from '../sql/fragment.ts'
import { orderBy } from './clauses.ts'
import { allOf } from './condition.ts'
import { embedOrder } from './embed-query.ts'
import { plainAlias } from './selection.ts'
import { columnOf, relatedRows } from './source.ts'
import type { Target } from './target.ts'

/** What the text is written for. */
export interface TextOptions {
  /** What emitted URLs start with. */
  readonly base: string
  /** Most rows of one list; one more than a request may embed, so that too many are noticed. */
  readonly most: number
  /** Most rows that the texts are written in. */
  readonly parents: number
}

/** What the beginning of links is made of: another request may have come by another mount. */
export const baseOrigin = {}

export const baseOf = (jsonText: JsonText, base: string): Fragment => jsonText.text(sql`${base}`)

/** The relation of a row of `from`; undefined where the database cannot write it as we would. */
export function compileEmbedText(
  target: Target,
  from: Source,
  embed: EmbedPlan,
  options: TextOptions,
): Fragment | undefined {
  const jsonText = target.dialect.shortcuts?.jsonText
  const share = shareOf(embed, options.parents)
  return jsonText && textOf({ target, jsonText, options, share }, from, embed, [from.alias])
}

/** Objects that the texts of one relation may hold, inner ones included: lists in lists multiply before anybody counts. */
const mostWritten = 50_000

/** Most rows of each list, so that all of them together stay within what may be written. */
const shareOf = (embed: EmbedPlan, parents: number): number =>
  Math.max(1, Math.floor((mostWritten / parents) ** (1 / listsIn(embed))))

/** How many lists lie in each other; at least one. */
const listsIn = (embed: EmbedPlan): number => Math.max(1, depthOf(embed))

const depthOf = ({ relation, embeds }: EmbedPlan): number =>
  Math.max(0, ...embeds.map(depthOf)) + (relation.cardinality === 'many' ? 1 : 0)

interface Writing {
  readonly target: Target
  readonly jsonText: JsonText
  readonly options: TextOptions
  /** Most rows of a list; a longer one is read as rows. */
  readonly share: number
}

function textOf(
  writing: Writing,
  from: Source,
  embed: EmbedPlan,
  around: readonly string[],
): Fragment | undefined {
  const { target, jsonText, options, share } = writing
  const { relation, rows: plan, limit } = embed
  const source = plan.from
  // An alias of its own inside would hide the row that it belongs to.
  if (around.includes(source.alias) || plan.joins.length > 0) return undefined
  const members = membersOf(writing, embed, [...around, source.alias])
  if (members === undefined) return undefined
  const chosen = allOf(target, plan.where)
  const rows = relatedRows(target, { from, relation, source })
  const where = chosen === undefined ? rows : sql`${rows} and ${chosen}`
  const many = relation.cardinality === 'many'
  const asked = many ? Math.min(limit ?? options.most, options.most) : 1
  const isShort = asked <= share
  const most = isShort ? asked : share + 1
  const select = sql`select ${sql.join(members)} from ${where}${orderBy(embedOrder(target, embed))} limit ${rowCount(target.dialect, most)}`
  return many ? jsonText.list(select, isShort ? undefined : share) : jsonText.object(select)
}

/** The members in the order of `serialize/`: visible columns, then relations as the model lists them. */
function membersOf(
  writing: Writing,
  { relation, rows, embeds, links }: EmbedPlan,
  around: readonly string[],
): readonly Fragment[] | undefined {
  const { target, jsonText } = writing
  const members: Fragment[] = []
  const names = new Set<string>()
  const add = (name: string, value: unknown): boolean => {
    if (value === undefined || !plainAlias.test(name) || names.has(name)) return false
    names.add(name)
    members.push(sql`${value} as ${sql.id(name)}`)
    return true
  }
  for (const { key, value, visible } of rows.output) {
    if (!visible) continue
    if (value.kind !== 'column' || value.source !== rows.from) return undefined
    const { column } = value
    if (!add(key, jsonText.value(column, columnOf(rows.from, column)))) return undefined
  }
  for (const inner of relation.target.relations.values()) {
    const embedded = embeds.find((candidate) => candidate.relation === inner)
    if (embedded !== undefined) {
      const text = textOf(writing, rows.from, embedded, around)
      if (!add(inner.name, text && jsonText.nested(text))) return undefined
    } else if (links.includes(inner) && !add(inner.name, linkOf(writing, rows.from, inner))) {
      return undefined
    }
  }
  return target.dialect.shortcuts?.jsonText === undefined || members.length === 0
    ? undefined
    : members
}

/** `/api/books/1/author`, or NULL where a to-one relation has none. */
function linkOf(
  { jsonText, options }: Writing,
  source: Source,
  relation: ResolvedRelation,
): Fragment | undefined {
  const key = relation.source.primaryKey.map((column) =>
    jsonText.keyPart(column, columnOf(source, column)),
  )
  if (key.some((part) => part === undefined)) return undefined
  const text = (given: string): Fragment => jsonText.text(sql`${given}`)
  const parts = key.flatMap((part, i) => (i === 0 ? [part] : [text(','), part])) as Fragment[]
  const url = jsonText.joined([
    madeOf(baseOrigin, baseOf(jsonText, options.base)),
    text(`${collectionUrl(relation.source, '')}/`),
    ...parts,
    text(`/${relation.segment}`),
  ])
  if (relation.kind !== 'belongsTo') return url
  const missing = relation.from.map((column) => sql`${columnOf(source, column)} is null`)
  return sql`case when ${sql.join(missing, sql` or `)} then null else ${url} end`
}
