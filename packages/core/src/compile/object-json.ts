// RowPlan → the one value that is the JSON text of its row, the bytes that `serialize/` would write, with the form it is checked for.

import type { ObjectText, TextPiece } from '../dialect/shared/object-text.ts'
import { basePiece, constant, formTest, inRow } from '../dialect/shared/object-text.ts'
import { collectionUrl } from '../http/links.ts'
import { insideQuotes } from '../json/quoted.ts'
import type { EmbedPlan, Output, ReadPlan, RowPlan, Source } from '../plan/plan.ts'
import type { NamedColumn, ResolvedRelation } from '../registry/resource.ts'
import { type Fragment, madeOf, sql } from '../sql/fragment.ts'
import type { ObjectPlace } from './cell.ts'
import { baseOrigin } from './embedded-json.ts'
import { plainAlias } from './selection.ts'
import { columnOf } from './source.ts'
import type { Target } from './target.ts'

/** The text of a row's object. */
export interface ObjectSelection {
  readonly text: Fragment
  readonly form: TextPiece['form']
  /** Whether it holds the relations, too, and the brace at the end. */
  readonly whole: boolean
  /** What is read beside it, for the relations that it does not hold. */
  readonly kept: readonly Output[]
}

/** No output has this name. */
export const objectAlias = 'object of row'

/** Where a row holds the text of its object, and what tests whether such a text has the form that was promised. */
export interface PromisedObject extends ObjectPlace {
  readonly test: (base: string) => (text: unknown) => boolean
}

/** Of the text at that place in the select list. */
export const promised = (
  object: ObjectSelection | undefined,
  index: number,
): { readonly object?: PromisedObject } =>
  object === undefined
    ? {}
    : { object: { alias: objectAlias, index, whole: object.whole, test: formTest(object.form) } }

/** What is to be written. */
export interface ObjectOptions extends Pick<ReadPlan, 'rows' | 'embeds' | 'links'> {
  /** Relations whose rows are joined to it. */
  readonly joined: readonly EmbedPlan[]
  /** What emitted URLs start with. */
  readonly base: string
  /** The columns alone: they are what tags are made of. */
  readonly ownOnly: boolean
}

/** Undefined where the database cannot write it as we would. */
export function compileObject(target: Target, options: ObjectOptions): ObjectSelection | undefined {
  const objectText = target.dialect.shortcuts?.objectText
  if (objectText === undefined || options.rows.shape === 'groups') return undefined
  const writing: Writing = { target, objectText, base: options.base }
  const own = ownMembers(writing, options.rows)
  if (own === undefined || !keepsOrder(namesOf(options, own))) return undefined
  if (options.ownOnly && !isRecord(options.rows, own)) return undefined
  const relations = options.ownOnly ? undefined : relationMembers(writing, options, options.joined)
  const whole = relations === undefined ? undefined : objectOf([...own, ...relations])
  const piece = whole ?? opened(own)
  const text = piece && objectText.written(piece)
  if (piece === undefined || text === undefined) return undefined
  const kept = whole === undefined ? outputsFor(options) : []
  return { text, form: piece.form, whole: whole !== undefined, kept }
}

interface Writing {
  readonly target: Target
  readonly objectText: ObjectText
  readonly base: string
}

interface Member {
  readonly name: string
  readonly value: TextPiece
}

const namesOf = (
  { embeds, links }: Pick<ReadPlan, 'embeds' | 'links'>,
  own: readonly Member[],
): readonly string[] => [
  ...own.map(({ name }) => name),
  ...embeds.map(({ relation }) => relation.name),
  ...links.map(({ name }) => name),
]

/** Whether an object of ours has these members in their order; there is one at least. */
const keepsOrder = (names: readonly string[]): boolean =>
  names.length > 0 &&
  new Set(names).size === names.length &&
  names.every((name) => plainAlias.test(name) && name !== '__proto__')

/** Whether these are all visible columns, as they are. */
function isRecord({ from }: RowPlan, own: readonly Member[]): boolean {
  const names = [...from.resource.columns.keys()]
  return names.length === own.length && own.every(({ name }, i) => name === names[i])
}

/** `{"id":1,"title":"Emma"` */
const opened = (members: readonly Member[]): TextPiece =>
  inRow(
    members.flatMap(({ name, value }, i) => [constant(`${i === 0 ? '{' : ','}"${name}":`), value]),
  )

const objectOf = (members: readonly Member[]): TextPiece => inRow([opened(members), constant('}')])

/** The visible columns. */
function ownMembers(
  { objectText }: Writing,
  { from, output }: RowPlan,
): readonly Member[] | undefined {
  const members: Member[] = []
  if (output.every(({ visible }) => !visible)) return undefined
  for (const { key, value, visible } of output) {
    if (!visible) continue
    if (value.kind !== 'column' || value.source !== from) return undefined
    const { column } = value
    const piece = objectText.value(column, columnOf(from, column))
    if (piece === undefined) return undefined
    members.push({ name: key, value: piece })
  }
  return members
}

/** The relations as the model lists them: links, and rows that are joined. */
function relationMembers(
  writing: Writing,
  { rows, embeds, links }: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  joined: readonly EmbedPlan[],
): readonly Member[] | undefined {
  const { from, output } = rows
  const shown = new Set(
    output.flatMap(({ value, visible }) =>
      visible && value.kind === 'column' ? [value.column] : [],
    ),
  )
  const members: Member[] = []
  for (const relation of from.resource.relations.values()) {
    const embed = embeds.find((candidate) => candidate.relation === relation)
    if (embed === undefined && !links.includes(relation)) continue
    const value =
      embed === undefined
        ? linkOf(writing, from, relation, shown)
        : joined.includes(embed)
          ? embeddedOf(writing, embed)
          : undefined
    if (value === undefined) return undefined
    members.push({ name: relation.name, value })
  }
  return members
}

/** The object of a joined row, or null where there is none. */
function embeddedOf(writing: Writing, embed: EmbedPlan): TextPiece | undefined {
  const { target, objectText } = writing
  const { rows, relation } = embed
  const own = ownMembers(writing, rows)
  const relations = relationMembers(writing, embed, [])
  const [key] = relation.to
  if (own === undefined || relations === undefined || key === undefined) return undefined
  if (!keepsOrder(namesOf(embed, own))) return undefined
  const object = objectOf([...own, ...relations])
  if (objectText.written(object) === undefined) return undefined
  const missing = sql`${target.dialect.select(key, columnOf(rows.from, key))} is null`
  return objectText.unless(missing, object)
}

/** `"/api/books/1/author"`, or null where a to-one relation has no key; undefined where its key is not among the columns shown. */
function linkOf(
  { objectText, base }: Writing,
  source: Source,
  relation: ResolvedRelation,
  shown: ReadonlySet<NamedColumn>,
): TextPiece | undefined {
  const key = relation.source.primaryKey.map((column) =>
    objectText.keyPart(column, columnOf(source, column), shown.has(column)),
  )
  if (key.some((part) => part === undefined)) return undefined
  const url = inRow([
    constant('"'),
    basePiece(madeOf(baseOrigin, sql`${insideQuotes(base)}`)),
    constant(`${insideQuotes(collectionUrl(relation.source, ''))}/`),
    ...(key as TextPiece[]).flatMap((part, i) => (i === 0 ? [part] : [constant(','), part])),
    constant(`${insideQuotes(`/${relation.segment}`)}"`),
  ])
  if (relation.kind !== 'belongsTo') return url
  // What is shown has the form of its type, or is NULL; of anything else we would have to know what it is read as.
  if (!relation.from.every((column) => shown.has(column))) return undefined
  const missing = relation.from
    .filter(({ nullable }) => nullable)
    .map((column) => sql`${columnOf(source, column)} is null`)
  return missing.length === 0 ? url : objectText.unless(sql.join(missing, sql` or `), url)
}

/** The keys that links and embedded rows are found by. */
function outputsFor({ rows, embeds, links }: ObjectOptions): readonly Output[] {
  const relations = [...embeds.map(({ relation }) => relation), ...links]
  const needed = new Set(relations.flatMap(({ from }) => from))
  if (links.length > 0) for (const column of rows.from.resource.primaryKey) needed.add(column)
  return rows.output.filter(
    ({ value }) =>
      value.kind === 'column' && value.source === rows.from && needed.has(value.column),
  )
}
