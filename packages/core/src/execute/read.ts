// Reads what a ReadPlan asks for: rows, their number, their embedded relations; the stage that awaits the database.

import { cellOf, type RawRow } from '../compile/cell.ts'
import type { PlaceColumn } from '../compile/keyset.ts'
import { listPlaces } from '../compile/list-text.ts'
import {
  type ListStatement,
  type ReadStatements,
  type RowStatement,
  readStatements,
  type Sendable,
} from '../compile/read-statements.ts'
import { countsBeside } from '../compile/row-count.ts'
import type { Slice } from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { Place } from '../plan/cursor.ts'
import { isWholeTable } from '../plan/deciding-joins.ts'
import type { ListPlan, NumberedPage, ReadPlan, RowPlan, Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { isTooManyEmbeddedRows, loadLevels } from './embed.ts'
import { objectsInTexts } from './embed-texts.ts'
import { attachJoined } from './joined-embeds.ts'
import { keysOf } from './key.ts'
import { type LoadedRow, loadRows } from './loaded-row.ts'
import { fitObjects, withValues } from './object-texts.ts'
import { type Connection, run, runRows } from './run.ts'
import type { Turn } from './shared-counts.ts'
import { keyOfStatement } from './statement-key.ts'

/** A page of rows and what is known of the whole set. */
export interface LoadedPage {
  readonly rows: readonly LoadedRow[]
  /** The JSON of the rows, where the database wrote them all; there are no rows then. */
  readonly list?: string
  /** Undefined when the plan asks for no count. */
  readonly total: number | undefined
  /** Whether counting stopped before the end. */
  readonly capped: boolean
  /** Whether rows follow this page, and whether rows stand before it. */
  readonly more: boolean
  readonly earlier: boolean
  /** Places of the first and the last row, for cursors. */
  readonly first: Place | undefined
  readonly last: Place | undefined
}

const mostCounted = 10_000

/** Reads one page, and the total unless the page itself tells it. */
export function readPage(
  connection: Connection,
  statements: ReadStatements,
  plan: ListPlan,
): Promise<LoadedPage> {
  const { page } = plan
  const { dialect } = connection
  if (page.kind === 'keyset' || dialect.shortcuts?.objectText === undefined) {
    return readRows(connection, statements, plan)
  }
  const slice = { limit: page.limit + extraOf(plan), offset: page.offset }
  const total = plan.count === 'none' ? undefined : { most: mostOf(plan), full: page.limit }
  const list = statements.list?.(slice, total)
  return list === undefined
    ? readRows(connection, statements, plan)
    : readList(connection, statements, plan, page, list)
}

/** The page as one text. */
async function readList(
  connection: Connection,
  statements: ReadStatements,
  plan: ListPlan,
  page: NumberedPage,
  { list, fits }: ListStatement,
): Promise<LoadedPage> {
  const [row] = await runRows(connection, list)
  if (row === undefined) throw new Error('a statement of aggregates gave no row')
  const objects = cellOf(row, listPlaces.objects) ?? ''
  const read = Number(cellOf(row, listPlaces.count))
  if (!fits(objects, read)) return readRows(connection, withValues(statements), plan)
  const surplus = read > page.limit
  const kept = surplus ? page.limit : read
  const within = cellOf(row, listPlaces.total)
  const { total, capped } = await count(connection, statements, plan, within, kept)
  return {
    rows: [],
    list: `[${surplus ? withoutLast(objects as string) : objects}]`,
    total,
    capped,
    more: hasMore(plan, page.offset + kept, total, surplus),
    earlier: page.number > 1,
    first: undefined,
    last: undefined,
  }
}

/** What stands between two objects of a list stands nowhere else: in a text, a quote comes after a backslash. */
const withoutLast = (objects: string): string =>
  objects.slice(0, Math.max(0, objects.lastIndexOf('},{"') + 1))

/** Whether rows follow a numbered page that ends there. */
const hasMore = (
  plan: ListPlan,
  end: number,
  total: number | undefined,
  surplus: boolean,
): boolean => (plan.count === 'exact' && total !== undefined ? end < total : surplus)

async function readRows(
  connection: Connection,
  statements: ReadStatements,
  plan: ListPlan,
): Promise<LoadedPage> {
  const { page } = plan
  const offset = page.kind === 'numbered' ? page.offset : 0
  const turn = turnOf(connection, statements, plan)
  let compiled: RowStatement
  let read: readonly RawRow[]
  try {
    const slice = sliceOf(connection.dialect, plan, turn?.kind === 'shared')
    compiled = statements.rows(slice)
    read = await runRows(connection, compiled.rows)
    if (!fitObjects(compiled, read)) {
      compiled = withValues(statements).rows(slice)
      read = await runRows(connection, compiled.rows)
    }
  } finally {
    // Others wait for this, also where it fails before anything is sent.
    if (turn?.kind === 'own') turn.done()
  }
  const surplus = read.length > page.limit
  const kept = read.slice(0, page.limit)
  const backwards = page.kind === 'keyset' && page.direction === 'before'
  const raw = backwards ? kept.reverse() : kept
  const rows = isComplete(plan, compiled)
    ? loadRows(compiled.readers, raw, compiled.texts, compiled.object?.place)
    : await withEmbeds(connection, statements, plan, compiled, raw)
  const [top] = raw
  const within = top && compiled.total && cellOf(top, compiled.total)
  const { total, capped } = await count(connection, statements, plan, within, raw.length, turn)
  const continued = page.kind === 'keyset' && page.values !== null
  const numberedMore = hasMore(plan, offset + rows.length, total, surplus)
  return {
    rows,
    total,
    capped,
    more: page.kind === 'numbered' ? numberedMore : backwards ? rows.length > 0 : surplus,
    earlier: page.kind === 'numbered' ? page.number > 1 : backwards ? surplus : continued,
    first: placeOf(compiled.places, raw[0]),
    last: placeOf(compiled.places, raw.at(-1)),
  }
}

/** Whether nothing is to be read besides. */
const isComplete = ({ embeds }: ReadPlan, { object }: RowStatement): boolean =>
  embeds.length === 0 || object?.place.whole === true

/**
 * The rows with what is embedded in them: as texts or joined rows where it came so, read by statements of its own otherwise. Where a
 * text does not fit, or more is embedded than may be, all of it is read as rows, which tell what is to be refused.
 */
async function withEmbeds(
  connection: Connection,
  statements: ReadStatements,
  { rows: { from }, embeds }: ReadPlan,
  { readers, texts, joined, object }: RowStatement,
  raw: readonly RawRow[],
): Promise<readonly LoadedRow[]> {
  const { embeddedRows: limit } = from.resource.settings.limits
  const load = async (came: Came, used: number): Promise<readonly LoadedRow[]> => {
    const rows = loadRows(readers, raw, came.texts, object?.place)
    const beyond = attachJoined(rows, came.joined)
    const known = new Set(came.joined.map(({ embed }) => embed))
    const own = embeds.filter((embed) => !known.has(embed) && !came.texts.has(embed.relation.name))
    const edges = [...own.map((embed) => ({ embed, parents: rows })), ...beyond]
    await loadLevels(connection, statements, edges, { limit, left: limit - used })
    return rows
  }
  if (texts.size === 0 && joined.length === 0) return load(nothing, 0)
  const used = objectsInTexts(texts, raw)
  if (used === undefined || used > limit) return load(nothing, 0)
  try {
    return await load({ texts, joined }, used)
  } catch (error) {
    if (isTooManyEmbeddedRows(error)) return load(nothing, 0)
    throw error
  }
}

/** What came with the rows themselves. */
type Came = Pick<RowStatement, 'texts' | 'joined'>

const nothing: Came = { texts: new Map(), joined: [] }

/** Whether somebody is counting the same at this moment; asked where the count is part of the statement otherwise. */
function turnOf(
  connection: Connection,
  statements: ReadStatements,
  plan: ListPlan,
): Turn | undefined {
  const { counts, dialect } = connection
  if (
    counts === undefined ||
    dialect.shortcuts?.countsInStatement !== true ||
    plan.count === 'none'
  )
    return undefined
  if (countsBeside(dialect, plan.rows)) return undefined
  const statement = statements.count(mostOf(plan))
  if (!('ready' in statement)) return undefined
  // A client that goes away must not call off what others wait for.
  const forAll = (): Connection => ({ ...connection, client: undefined })
  return counts.join(keyOfStatement(statement), () => runCount(forAll(), statement))
}

/** The slice of its set that a page is; `counted`: somebody else sees to the total. */
function sliceOf(dialect: InternalDialect, plan: ListPlan, counted: boolean): Slice {
  const { page, count: mode } = plan
  return {
    limit: page.limit + extraOf(plan),
    offset: page.kind === 'numbered' ? page.offset : 0,
    ...(page.kind === 'keyset' ? { keyset: page } : {}),
    ...(mode !== 'none' && !counted && countsWithin(dialect, plan)
      ? { total: { most: mostOf(plan) } }
      : {}),
  }
}

/** One row more tells whether others follow, where no exact count does. */
const extraOf = ({ page, count: mode }: ListPlan): number =>
  page.kind === 'keyset' || mode !== 'exact' ? 1 : 0

/** Whether the total comes with the rows. */
const countsWithin = ({ shortcuts }: InternalDialect, { rows }: ListPlan): boolean =>
  shortcuts?.countsInStatement === true ||
  (shortcuts?.countsTablesInStatement === true && isWholeTable(rows))

/** One row, whichever it is. */
export const oneRow: Slice = { limit: 1, fixed: true, offset: 0 }

function placeOf(places: readonly PlaceColumn[], row: RawRow | undefined): Place | undefined {
  return row && places.map((place) => place.read(cellOf(row, place)))
}

/** One more than what is counted, so that "more than that" can be told. */
const mostOf = ({ count: mode }: ListPlan): number | null =>
  mode === 'capped' ? mostCounted + 1 : null

const notCounted = { total: undefined, capped: false }

async function count(
  connection: Connection,
  statements: ReadStatements,
  plan: ListPlan,
  within: unknown,
  read: number,
  turn?: Turn,
): Promise<{ total: number | undefined; capped: boolean }> {
  if (plan.count === 'none') return notCounted
  const total =
    within ??
    provenTotal(plan, read) ??
    (turn?.kind === 'shared'
      ? await (connection.timing?.database(turn.total) ?? turn.total())
      : await runCount(connection, statements.count(mostOf(plan))))
  const known = Number(total ?? 0)
  return plan.count === 'capped' && known > mostCounted
    ? { total: mostCounted, capped: true }
    : { total: known, capped: false }
}

const runCount = async (connection: Connection, statement: Sendable): Promise<number> =>
  Number((await run(connection, statement))[0]?.total ?? 0)

/** The total where the page itself proves it: its end is the end of the set. */
function provenTotal({ page }: ListPlan, read: number): number | undefined {
  if (page.kind === 'keyset') {
    return page.values === null && read < page.limit ? read : undefined
  }
  const atEnd = read < page.limit && (read > 0 || page.offset === 0)
  return atEnd ? page.offset + read : undefined
}

/** Reads the one row of the plan, or undefined. */
export async function readOne(
  connection: Connection,
  statements: ReadStatements,
  plan: ReadPlan,
): Promise<LoadedRow | undefined> {
  let compiled = statements.rows(oneRow)
  let raw = await runRows(connection, compiled.rows)
  if (!fitObjects(compiled, raw)) {
    compiled = withValues(statements).rows(oneRow)
    raw = await runRows(connection, compiled.rows)
  }
  // What has nothing to wait for does not wait.
  if (isComplete(plan, compiled)) {
    return loadRows(compiled.readers, raw, compiled.texts, compiled.object?.place)[0]
  }
  const [row] = await withEmbeds(connection, statements, plan, compiled, raw)
  return row
}

/** The parent's join key: undefined when there is no such parent, null when a part of the key is null. */
export async function readParentKey(
  connection: Connection,
  target: Target,
  plan: RowPlan,
  from: readonly NamedColumn[],
): Promise<readonly Value[] | null | undefined> {
  const compiled = readStatements(target, { rows: plan }).rows(oneRow)
  const [row] = loadRows(compiled.readers, await runRows(connection, compiled.rows))
  return row === undefined ? undefined : (keysOf(from, row.values) ?? null)
}
