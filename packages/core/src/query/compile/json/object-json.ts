// Compiles the JSON of a row's object as one column, with the same bytes that `query/serialize` would write, and a regular expression
// that checks its form: the database writes values as they are stored, and SQLite may have stored one of another type. For the
// shortcut `objectText`, which SQLite has; with `jsonText`, PostgreSQL builds embedded JSON instead (`embedded-json.ts`).

import type { ObjectLocation } from '../../../database/cell.ts'
import type { ObjectText, TextPiece } from '../../../dialect/shared/json/object-text.ts'
import {
  basePiece,
  formTest,
  joinedPieces,
  literalText,
} from '../../../dialect/shared/json/object-text.ts'
import { insideQuotes } from '../../../lib/json/quoted.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { NamedColumn, ResolvedRelation } from '../../../model/registry/resource.ts'
import type { EmbedPlan, Output, ReadPlan, RowPlan, Source } from '../../plan/plan.ts'
import { collectionUrl } from '../../serialize/links.ts'
import { slotParam } from '../bound-target.ts'
import { plainAlias, registryName } from '../selection.ts'
import { columnOf } from '../source.ts'
import type { Target } from '../target.ts'
import { linkBaseSlot } from './embedded-json.ts'

/** The column with the JSON of a row's object. */
export interface ObjectSelection {
  readonly text: Fragment
  /** Returns the regular expression of the column's values: fixed texts, and the forms of the columns' values between them. */
  readonly form: TextPiece['form']
  /** Whether the JSON is complete, with relations and the closing brace. */
  readonly complete: boolean
  /** The columns to select besides the JSON, because embeds and links outside the JSON need their values. */
  readonly separate: readonly Output[]
}

/** An alias that no column or label can have, because it has spaces. */
export const objectAlias = 'object of row'

/** Where a row contains the JSON of its object, and a test whether a value has the expected form. */
export interface ObjectColumn extends ObjectLocation {
  readonly test: (base: string) => (text: unknown) => boolean
}

/** Returns the location and test of an object's JSON that is at `index` of the select list. */
export const objectColumn = (
  object: ObjectSelection | undefined,
  index: number,
): { readonly object?: ObjectColumn } =>
  object === undefined
    ? {}
    : {
        object: {
          alias: objectAlias,
          index,
          complete: object.complete,
          test: formTest(object.form),
        },
      }

/** What the JSON contains. */
export interface ObjectOptions extends Pick<ReadPlan, 'rows' | 'embeds' | 'links'> {
  /** Embedded relations that the statement joins. */
  readonly joined: readonly EmbedPlan[]
  /** The beginning of emitted URLs. */
  readonly base: string
  /** Without relations: for a single record, whose ETag is computed from its columns. */
  readonly columnsOnly: boolean
}

/** Compiles the JSON of a row's object; undefined if the database could write other bytes than `query/serialize`. */
export function compileObject(target: Target, options: ObjectOptions): ObjectSelection | undefined {
  const objectText = target.dialect.shortcuts?.objectText
  if (objectText === undefined || options.rows.shape === 'groups') return undefined
  const context: JsonContext = { target, objectText, base: options.base }
  const columns = columnMembers(context, options.rows)
  if (columns === undefined || !keepsOrder(namesOf(options, columns))) return undefined
  if (options.columnsOnly && !isRecord(options.rows, columns)) return undefined
  const relations = options.columnsOnly
    ? undefined
    : relationMembers(context, options, options.joined)
  const whole = relations === undefined ? undefined : objectOf([...columns, ...relations])
  const piece = whole ?? openObject(columns)
  const text = piece && objectText.written(piece)
  if (piece === undefined || text === undefined) return undefined
  const separate = whole === undefined ? outputsFor(options) : []
  return { text, form: piece.form, complete: whole !== undefined, separate }
}

/** What the functions below share. */
interface JsonContext {
  readonly target: Target
  readonly objectText: ObjectText
  readonly base: string
}

/** A member of the JSON object. */
interface Member {
  readonly name: string
  readonly value: TextPiece
}

/** The names of all members: columns, then relations. */
const namesOf = (
  { embeds, links }: Pick<ReadPlan, 'embeds' | 'links'>,
  columns: readonly Member[],
): readonly string[] => [
  ...columns.map(({ name }) => name),
  ...embeds.map(({ relation }) => relation.name),
  ...links.map(({ name }) => name),
]

/** Whether a JavaScript object with these members keeps them in this order: plain, distinct names, at least one. */
const keepsOrder = (names: readonly string[]): boolean =>
  names.length > 0 &&
  new Set(names).size === names.length &&
  names.every((name) => plainAlias.test(name) && name !== '__proto__')

/** Whether the members are exactly the visible columns of the resource, so that the ETag can be computed from the JSON. */
function isRecord({ from }: RowPlan, columns: readonly Member[]): boolean {
  const names = [...from.resource.columns.keys()]
  return names.length === columns.length && columns.every(({ name }, i) => name === names[i])
}

/** Compiles an object without its closing brace: `{"id":1,"title":"Emma"`. */
const openObject = (members: readonly Member[]): TextPiece =>
  joinedPieces(
    members.flatMap(({ name, value }, i) => [
      literalText(`${i === 0 ? '{' : ','}"${name}":`),
      value,
    ]),
  )

const objectOf = (members: readonly Member[]): TextPiece =>
  joinedPieces([openObject(members), literalText('}')])

/** Returns the members of the visible columns; undefined if one comes from a join, or the database cannot write it as `query/serialize` does. */
function columnMembers(
  { objectText }: JsonContext,
  { from, output }: RowPlan,
): readonly Member[] | undefined {
  const members: Member[] = []
  if (output.every(({ visible }) => !visible)) return undefined
  for (const member of output) {
    const { value, visible } = member
    if (!visible) continue
    if (value.kind !== 'column' || value.source !== from) return undefined
    const { column } = value
    const name = registryName(member)
    const piece = name === undefined ? undefined : objectText.value(column, columnOf(from, column))
    if (name === undefined || piece === undefined) return undefined
    members.push({ name, value: piece })
  }
  return members
}

/**
 * Returns the members of the relations in the order of the model: links and joined rows; undefined if a relation needs its own
 * statement.
 */
function relationMembers(
  context: JsonContext,
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
        ? linkOf(context, from, relation, shown)
        : joined.includes(embed)
          ? embeddedOf(context, embed)
          : undefined
    if (value === undefined) return undefined
    members.push({ name: relation.name, value })
  }
  return members
}

/** Compiles the object of a joined row; it is null if there is no row. */
function embeddedOf(context: JsonContext, embed: EmbedPlan): TextPiece | undefined {
  const { target, objectText } = context
  const { rows, relation } = embed
  const columns = columnMembers(context, rows)
  const relations = relationMembers(context, embed, [])
  const [key] = relation.to
  if (columns === undefined || relations === undefined || key === undefined) return undefined
  if (!keepsOrder(namesOf(embed, columns))) return undefined
  const object = objectOf([...columns, ...relations])
  if (objectText.written(object) === undefined) return undefined
  const missing = sql`${target.dialect.select(key, columnOf(rows.from, key))} is null`
  return objectText.unless(missing, object)
}

/** Compiles the link `"/api/books/1/author"`, null if a to-one relation's key is NULL; undefined if not all key columns are shown. */
function linkOf(
  { target, objectText, base }: JsonContext,
  source: Source,
  relation: ResolvedRelation,
  shown: ReadonlySet<NamedColumn>,
): TextPiece | undefined {
  const { address } = relation
  if (address === null) return undefined
  const key = address.key.map((column) =>
    objectText.keyPart(column, columnOf(source, column), shown.has(column)),
  )
  if (key.some((part) => part === undefined)) return undefined
  const url = joinedPieces([
    literalText('"'),
    basePiece(sql`${slotParam(target, linkBaseSlot, base).map(insideQuotes)}`),
    literalText(`${insideQuotes(collectionUrl(address.resource, ''))}/`),
    ...(key as TextPiece[]).flatMap((part, i) => (i === 0 ? [part] : [literalText(','), part])),
    literalText(`${insideQuotes(address.rest)}"`),
  ])
  if (relation.kind !== 'belongsTo') return url
  // The test of the object's form checks shown columns only; a hidden column could hold a value that `query/serialize` reads as null.
  if (!relation.from.every((column) => shown.has(column))) return undefined
  const missing = relation.from
    .filter(({ nullable }) => nullable)
    .map((column) => sql`${columnOf(source, column)} is null`)
  return missing.length === 0 ? url : objectText.unless(sql.join(missing, sql` or `), url)
}

/** Returns the outputs whose values links and embedded rows need. */
function outputsFor({ rows, embeds, links }: ObjectOptions): readonly Output[] {
  const relations = [...embeds.map(({ relation }) => relation), ...links]
  const needed = new Set(relations.flatMap(({ from }) => from))
  if (links.length > 0) for (const column of rows.from.resource.primaryKey) needed.add(column)
  return rows.output.filter(
    ({ value }) =>
      value.kind === 'column' && value.source === rows.from && needed.has(value.column),
  )
}
