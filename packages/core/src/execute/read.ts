// Runs a read program: rows, their number, what is embedded in them; decides nothing.

import { cellOf, type RawRow } from '../compile/cell.ts'
import type { PlaceColumn } from '../compile/keyset.ts'
import { listPlaces } from '../compile/list-json.ts'
import {
  countCap,
  type ListStatement,
  type PageProgram,
  type ReadProgram,
} from '../compile/read-program.ts'
import type { Sendable } from '../compile/sendable.ts'
import type { CursorValues } from '../plan/cursor.ts'
import type { ListPlan, Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { attachJoined, edgesFrom, loadEdges } from './embed.ts'
import { keysOf } from './key.ts'
import { type LoadedRow, loadRows } from './loaded-row.ts'
import {
  objectsIn,
  requireForm,
  requireObjects,
  requireSize,
  withFallback,
  withinSize,
} from './promised-form.ts'
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
  readonly first: CursorValues | undefined
  readonly last: CursorValues | undefined
}

/** Reads one page, and the total unless the page itself tells it. */
export const readPage = (connection: Connection, program: PageProgram): Promise<LoadedPage> =>
  withFallback(program, ({ read, ...page }) =>
    read.kind === 'list'
      ? readList(connection, { read, ...page }, read)
      : readRows(connection, { read, ...page }),
  )

/** The page as one text. */
async function readList(
  connection: Connection,
  program: PageProgram,
  { statement, fits }: ListStatement,
): Promise<LoadedPage> {
  const { plan } = program
  const { page } = plan
  const [row] = await runRows(connection, statement)
  if (row === undefined) throw new Error('a statement of aggregates gave no row')
  const objects = cellOf(row, listPlaces.objects) ?? ''
  const read = Number(cellOf(row, listPlaces.count))
  requireForm(fits(objects, read))
  const surplus = read > page.limit
  const kept = surplus ? page.limit : read
  const within = cellOf(row, listPlaces.total)
  const total = await totalOf(connection, program, { within, read: kept })
  return {
    ...positionOf(plan, { kept, surplus, total: total.total }),
    ...total,
    rows: [],
    list: `[${surplus ? withoutLast(objects as string) : objects}]`,
    first: undefined,
    last: undefined,
  }
}

/** What stands between two objects of a list stands nowhere else: in a text, a quote comes after a backslash. */
const withoutLast = (objects: string): string =>
  objects.slice(0, Math.max(0, objects.lastIndexOf('},{"') + 1))

async function readRows(connection: Connection, program: PageProgram): Promise<LoadedPage> {
  const { plan } = program
  const { page } = plan
  const turn = turnOf(connection, program)
  const { read, raws } = await sent(connection, program, turn)
  const surplus = raws.length > page.limit
  const cut = raws.slice(0, page.limit)
  const raw = page.kind === 'keyset' && page.direction === 'before' ? cut.reverse() : cut
  const rows = await loaded(connection, read, raw)
  const [top] = raw
  const within = top && read.rows.total && cellOf(top, read.rows.total)
  const total = await totalOf(connection, program, { within, read: raw.length, turn })
  const { places } = read.rows
  return {
    ...positionOf(plan, { kept: rows.length, surplus, total: total.total }),
    ...total,
    rows,
    first: placeOf(places, raw[0]),
    last: placeOf(places, raw.at(-1)),
  }
}

/** Sends the statement of the rows, without the total where it comes of another request's count. */
async function sent(
  connection: Connection,
  program: PageProgram,
  turn: Turn | undefined,
): Promise<{ readonly read: ReadProgram; readonly raws: readonly RawRow[] }> {
  try {
    const { read } = (turn?.kind === 'shared' && program.withoutTotal?.()) || program
    if (read.kind === 'list') throw new Error('a page as one text has no rows')
    return { read, raws: await runRows(connection, read.rows.statement) }
  } finally {
    // Others wait for this, also where it fails before anything is sent.
    if (turn?.kind === 'own') turn.done()
  }
}

/** Whether pages stand around this one. */
function positionOf(
  { page, count }: ListPlan,
  {
    kept,
    surplus,
    total,
  }: { readonly kept: number; readonly surplus: boolean; readonly total: number | undefined },
): Pick<LoadedPage, 'more' | 'earlier'> {
  if (page.kind === 'numbered') {
    const end = page.offset + kept
    const more = count === 'exact' && total !== undefined ? end < total : surplus
    return { more, earlier: page.number > 1 }
  }
  return page.direction === 'before'
    ? { more: kept > 0, earlier: surplus }
    : { more: surplus, earlier: page.values !== null }
}

/** Whether somebody is counting the same at this moment; asked where the count is part of the statement otherwise. */
function turnOf(connection: Connection, { withoutTotal, count }: PageProgram): Turn | undefined {
  const { counts } = connection
  if (counts === undefined || withoutTotal === undefined) return undefined
  const statement = count()
  if (!('ready' in statement)) return undefined
  // A client that goes away must not call off what others wait for.
  const forAll = (): Connection => ({ ...connection, client: undefined })
  return counts.join(keyOfStatement(statement), () => runCount(forAll(), statement))
}

function placeOf(
  places: readonly PlaceColumn[],
  row: RawRow | undefined,
): CursorValues | undefined {
  return row && places.map((place) => place.read(cellOf(row, place)))
}

/** What the page itself says of the total. */
interface KnownTotal {
  /** The total in the statement of the rows. */
  readonly within: unknown
  /** How many rows were read. */
  readonly read: number
  readonly turn?: Turn | undefined
}

async function totalOf(
  connection: Connection,
  { plan, count }: PageProgram,
  { within, read, turn }: KnownTotal,
): Promise<Pick<LoadedPage, 'total' | 'capped'>> {
  if (plan.count === 'none') return { total: undefined, capped: false }
  const total =
    within ??
    provenTotal(plan, read) ??
    (turn?.kind === 'shared'
      ? await (connection.timing?.database(turn.total) ?? turn.total())
      : await runCount(connection, count()))
  const known = Number(total ?? 0)
  return plan.count === 'capped' && known > countCap
    ? { total: countCap, capped: true }
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

/** Reads the one row of a program, or undefined. */
export const readOne = (
  connection: Connection,
  program: ReadProgram,
): Promise<LoadedRow | undefined> => readAll(connection, program).then(([row]) => row)

/** Reads all rows of a program. */
export const readAll = (
  connection: Connection,
  program: ReadProgram,
): Promise<readonly LoadedRow[]> =>
  withFallback(program, async (tried) =>
    loaded(connection, tried, await runRows(connection, tried.rows.statement)),
  )

/** The rows with what is embedded in them. */
async function loaded(
  connection: Connection,
  { rows: { readers, texts, object }, edges, joined, mostEmbedded }: ReadProgram,
  raws: readonly RawRow[],
): Promise<readonly LoadedRow[]> {
  requireObjects(object, raws)
  const used = texts.size === 0 ? 0 : objectsIn(texts, raws)
  const rows = loadRows(readers, raws, texts, object?.place)
  const beyond = joined.length === 0 ? [] : attachJoined(rows, joined)
  requireSize(used <= mostEmbedded)
  if (edges.length === 0 && beyond.length === 0) return rows
  const cameAlong = texts.size > 0 || joined.length > 0
  const budget = { limit: mostEmbedded, left: mostEmbedded - used }
  await withinSize(cameAlong, () =>
    loadEdges(connection, [...edgesFrom(edges, rows), ...beyond], budget),
  )
  return rows
}

/** The parent's join key: undefined when there is no such parent, null when a part of the key is null. */
export async function readParentKey(
  connection: Connection,
  program: ReadProgram,
  from: readonly NamedColumn[],
): Promise<readonly Value[] | null | undefined> {
  const row = await readOne(connection, program)
  return row === undefined ? undefined : (keysOf(from, row.values) ?? null)
}
