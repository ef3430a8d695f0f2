// Runs a read program: sends the statements of the rows, of the total and of the embedded rows on the request's lease, and returns them as
// a `LoadedPage` or `LoadedRow`s, which `http/endpoints/reads` serialises. All decisions were made by `compile`.

import { cellOf, type RawRow } from '../../database/cell.ts'
import type { Lease } from '../../database/leases/lease.ts'
import type { Turn } from '../../database/shared-counts.ts'
import type { Sendable } from '../../database/statements/sendable.ts'
import { keyOfStatement } from '../../database/statements/statement-key.ts'
import { tooManyCombinations } from '../../errors.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { listColumns } from '../compile/json/list-json.ts'
import {
  countCap,
  type ListStatement,
  type PageProgram,
  type ReadProgram,
} from '../compile/read-program.ts'
import type { CursorColumn } from '../compile/rows/beyond-cursor.ts'
import { maxCombinations } from '../parse/limits.ts'
import type { CursorValues } from '../plan/order/cursor.ts'
import type { ListPlan, Value } from '../plan/plan.ts'
import {
  countObjects,
  fallBackIfTooMany,
  requireForm,
  requireObjects,
  requireSize,
  withFallback,
} from './checked-json.ts'
import { attachJoined, edgesFrom, loadEdges } from './embed.ts'
import { keyFromRow } from './key.ts'
import { type LoadedRow, loadRows } from './loaded-row.ts'

/** A page of rows, the total, and whether there are other pages. */
export interface LoadedPage {
  readonly rows: readonly LoadedRow[]
  /** The JSON array of all rows of the page, if the database built it; `rows` is empty then. */
  readonly rowsJson?: string
  /** Undefined if the plan has no count. */
  readonly total: number | undefined
  /** Whether counting stopped at the cap. */
  readonly capped: boolean
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** Order values of the first and the last row, for cursors. */
  readonly first: CursorValues | undefined
  readonly last: CursorValues | undefined
}

/** Reads one page. Counts the total, unless the rows of the page already show it. */
export const readPage = (lease: Lease, program: PageProgram): Promise<LoadedPage> =>
  program.combinations === undefined
    ? readAdmitted(lease, program)
    : checkCombinations(lease, program.combinations()).then(() => readAdmitted(lease, program))

/** Refuses a page whose joined rows have too many combinations. */
async function checkCombinations(lease: Lease, statement: Sendable): Promise<void> {
  if ((await runCount(lease, statement)) > maxCombinations) {
    throw tooManyCombinations(maxCombinations, 'join')
  }
}

/** Reads a page whose combinations are few enough. */
const readAdmitted = (lease: Lease, program: PageProgram): Promise<LoadedPage> =>
  withFallback(program, ({ read, ...page }) =>
    read.kind === 'list'
      ? readListText(lease, { read, ...page }, read)
      : readRows(lease, { read, ...page }),
  )

/** Reads a page whose rows the database aggregates into one JSON text. */
async function readListText(
  lease: Lease,
  program: PageProgram,
  { statement, fits }: ListStatement,
): Promise<LoadedPage> {
  const { plan } = program
  const { page } = plan
  const [row] = await lease.rawRows(statement)
  if (row === undefined) throw new Error('a statement of aggregates gave no row')
  const objects = cellOf(row, listColumns.objects) ?? ''
  const count = Number(cellOf(row, listColumns.count))
  requireForm(fits(objects, count))
  const hasExtra = count > page.limit
  const rowCount = hasExtra ? page.limit : count
  const selected = cellOf(row, listColumns.total)
  const total = await totalOf(lease, program, { selected, rowCount })
  return {
    ...neighboursOf(plan, { rowCount, hasExtra, total: total.total }),
    ...total,
    rows: [],
    rowsJson: `[${hasExtra ? withoutLast(objects as string) : objects}]`,
    // Only keyset pages have cursors, and `listStatement` compiles none of them.
    first: undefined,
    last: undefined,
  }
}

/** Cuts off the last object. `},{"` occurs only between two objects: inside a JSON string, a quote has a backslash before it. */
const withoutLast = (objects: string): string =>
  objects.slice(0, Math.max(0, objects.lastIndexOf('},{"') + 1))

/** Reads a page row by row: the usual way. */
async function readRows(lease: Lease, program: PageProgram): Promise<LoadedPage> {
  const { plan } = program
  const { page } = plan
  const shared = joinCount(lease, program)
  const { read, raws } = await runRead(lease, program, shared)
  const hasExtra = raws.length > page.limit
  const cut = raws.slice(0, page.limit)
  const pageRows = page.kind === 'keyset' && page.direction === 'before' ? cut.reverse() : cut
  const rows = await loadWithEmbeds(lease, read, pageRows)
  const [first] = pageRows
  const selected = first && read.rows.total && cellOf(first, read.rows.total)
  const rowCount = pageRows.length
  const total = await totalOf(lease, program, { selected, rowCount, shared })
  const { cursorColumns } = read.rows
  return {
    ...neighboursOf(plan, { rowCount, hasExtra, total: total.total }),
    ...total,
    rows,
    first: cursorValuesOf(cursorColumns, first),
    last: cursorValuesOf(cursorColumns, pageRows.at(-1)),
  }
}

/** Runs the statement that selects the rows; it omits the total if another request's count provides it. */
async function runRead(
  lease: Lease,
  program: PageProgram,
  shared: Turn | undefined,
): Promise<{ readonly read: ReadProgram; readonly raws: readonly RawRow[] }> {
  try {
    const { read } = (shared?.kind === 'shared' && program.withoutTotal?.()) || program
    if (read.kind === 'list') throw new Error('a program of the kind "list" returns no rows')
    return { read, raws: await lease.rawRows(read.rows.statement) }
  } finally {
    // Other requests for the same count wait for the end of this statement, even if it fails, and then share one count.
    if (shared?.kind === 'own') shared.done()
  }
}

/**
 * Whether there are pages before and after this one. `hasExtra`: the statement, which asks for one row more than the page, returned
 * that row.
 */
function neighboursOf(
  { page, count }: ListPlan,
  {
    rowCount,
    hasExtra,
    total,
  }: {
    readonly rowCount: number
    readonly hasExtra: boolean
    readonly total: number | undefined
  },
): Pick<LoadedPage, 'hasNext' | 'hasPrevious'> {
  if (page.kind === 'numbered') {
    const end = page.offset + rowCount
    const hasNext = count === 'exact' && total !== undefined ? end < total : hasExtra
    return { hasNext, hasPrevious: page.number > 1 }
  }
  return page.direction === 'before'
    ? { hasNext: rowCount > 0, hasPrevious: hasExtra }
    : { hasNext: hasExtra, hasPrevious: page.values !== null }
}

/** Joins the requests that are counting the same rows. Undefined if this request counts for itself: its statement cannot omit the count, or is not stored. */
function joinCount(lease: Lease, { withoutTotal, count }: PageProgram): Turn | undefined {
  const { counts } = lease
  if (counts === undefined || withoutTotal === undefined) return undefined
  const statement = count()
  // Only a statement from the store has a text by which others can be recognised as the same.
  const key = 'printed' in statement ? keyOfStatement(statement) : undefined
  if (key === undefined) return undefined
  // A client that disconnects must not cancel a count that other requests wait for.
  const forAll = (): Lease => lease.withoutClient()
  return counts.join(key, () => runCount(forAll(), statement))
}

/** Returns the values of a row's cursor; undefined without a row. */
function cursorValuesOf(
  cursorColumns: readonly CursorColumn[],
  row: RawRow | undefined,
): CursorValues | undefined {
  return row && cursorColumns.map((column) => column.read(cellOf(row, column)))
}

/** Where the total may come from without a separate count. */
interface KnownTotal {
  /** The total that the statement of the rows selected. */
  readonly selected: unknown
  /** The number of rows on the page. */
  readonly rowCount: number
  readonly shared?: Turn | undefined
}

/** Returns the total from where it costs least: the statement of the rows, the number of rows on the page, or a count. */
async function totalOf(
  lease: Lease,
  { plan, count }: PageProgram,
  { selected, rowCount, shared }: KnownTotal,
): Promise<Pick<LoadedPage, 'total' | 'capped'>> {
  if (plan.count === 'none') return { total: undefined, capped: false }
  const total =
    selected ??
    provenTotal(plan, rowCount) ??
    (shared?.kind === 'shared' ? await shared.total() : await runCount(lease, count()))
  const known = Number(total ?? 0)
  return plan.count === 'capped' && known > countCap
    ? { total: countCap, capped: true }
    : { total: known, capped: false }
}

/** Runs a statement that returns one number as `total`. */
const runCount = async (lease: Lease, statement: Sendable): Promise<number> =>
  Number((await lease.rows(statement))[0]?.total ?? 0)

/** The total, if the page has fewer rows than its limit and therefore contains the last row; otherwise undefined. */
function provenTotal({ page }: ListPlan, rowCount: number): number | undefined {
  if (page.kind === 'keyset') {
    return page.values === null && rowCount < page.limit ? rowCount : undefined
  }
  const atEnd = rowCount < page.limit && (rowCount > 0 || page.offset === 0)
  return atEnd ? page.offset + rowCount : undefined
}

/** Reads the one row of a program, or undefined. */
export const readOne = (lease: Lease, program: ReadProgram): Promise<LoadedRow | undefined> =>
  readAll(lease, program).then(([row]) => row)

/** Reads all rows of a program. */
export const readAll = (lease: Lease, program: ReadProgram): Promise<readonly LoadedRow[]> =>
  withFallback(program, async (tried) =>
    loadWithEmbeds(lease, tried, await lease.rawRows(tried.rows.statement)),
  )

/** Decodes the rows and reads the rows embedded in them. */
async function loadWithEmbeds(
  lease: Lease,
  { rows: { readers, embeddedJson, object }, edges, joined, maxEmbedded }: ReadProgram,
  raws: readonly RawRow[],
): Promise<readonly LoadedRow[]> {
  requireObjects(object, raws)
  const embedded = embeddedJson.size === 0 ? 0 : countObjects(embeddedJson, raws)
  const rows = loadRows(readers, raws, embeddedJson, object?.location)
  const joinedEdges = joined.length === 0 ? [] : attachJoined(rows, joined)
  requireSize(embedded <= maxEmbedded)
  if (edges.length === 0 && joinedEdges.length === 0) return rows
  const embedsInStatement = embeddedJson.size > 0 || joined.length > 0
  const budget = { limit: maxEmbedded, left: maxEmbedded - embedded }
  await fallBackIfTooMany(embedsInStatement, () =>
    loadEdges(lease, [...edgesFrom(edges, rows), ...joinedEdges], budget),
  )
  return rows
}

/** The key by which a parent's related rows are found. Undefined if the parent does not exist, null if a column of the key is null. */
export async function readParentKey(
  lease: Lease,
  program: ReadProgram,
  from: readonly NamedColumn[],
): Promise<readonly Value[] | null | undefined> {
  const row = await readOne(lease, program)
  return row === undefined ? undefined : (keyFromRow(from, row.values) ?? null)
}
