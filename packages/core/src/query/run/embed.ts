// Loads embedded rows after their parents: one statement per relation of the embed tree, regardless of the number of rows (several only for
// very many keys), and attaches each row to its parents. `attachJoined` does the latter for rows that the statement of the parents has joined.

import { cellOf, type RawRow } from '../../database/cell.ts'
import type { Lease } from '../../database/leases/lease.ts'
import { tooManyEmbeddedRows } from '../../errors.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { cappedChunks } from '../compile/chunks.ts'
import type { KeyReader, ParentReader } from '../compile/json/embed-query.ts'
import type { EdgeProgram, JoinedEdge } from '../compile/read-program.ts'
import type { EmbedPlan, Value } from '../plan/plan.ts'
import { requireObjects } from './checked-json.ts'
import { keyFromRow, keyText } from './key.ts'
import { LoadedRow, layoutOf, loadRows } from './loaded-row.ts'

/** The number of embedded rows that the request may still read, shared by all its embeds. */
export interface EmbedBudget {
  readonly limit: number
  left: number
}

/** A relation to embed, and the parent rows that embed it. */
export interface Edge {
  readonly program: EdgeProgram
  readonly parents: readonly LoadedRow[]
}

/** The relations to embed in rows of one statement. */
export const edgesFrom = (
  programs: readonly EdgeProgram[],
  parents: readonly LoadedRow[],
): readonly Edge[] => programs.map((program) => ({ program, parents }))

/**
 * Reads and attaches the rows of all relations, level by level. The relations of a level are read concurrently, but counted
 * against the limit in plan order, so that the same request always fails with the same relation.
 */
export async function loadEdges(
  lease: Lease,
  edges: readonly Edge[],
  budget: EmbedBudget,
): Promise<void> {
  let level = edges
  while (level.length > 0) {
    const { left } = budget
    const loaded = await Promise.all(
      level.map(async (edge) => ({ ...edge, children: await loadEdge(lease, edge, left) })),
    )
    for (const { program, children } of loaded) spend(budget, program.embed, children.length)
    level = loaded.flatMap(({ program, children }) => edgesFrom(program.edges, children))
  }
}

/** Attaches to-one rows that a join selected in the same statement; returns the edges below them. */
export function attachJoined(
  rows: readonly LoadedRow[],
  joined: readonly JoinedEdge[],
): readonly Edge[] {
  const [first] = rows
  if (first === undefined) return []
  return joined.flatMap(({ embed, readers, key, edges }) => {
    const layout = layoutOf(readers, first.layout.arrays)
    const parents: LoadedRow[] = []
    for (const row of rows) {
      const exists = (cellOf(row.raw, key) ?? null) !== null
      const related = exists ? new LoadedRow(layout, row.raw) : null
      row.related[embed.relation.name] = related
      if (related !== null) parents.push(related)
    }
    return edgesFrom(edges, parents)
  })
}

/** Subtracts rows from the budget. To-one relations do not count, since they read at most one row per parent. */
function spend(budget: EmbedBudget, { relation }: EmbedPlan, rows: number): void {
  if (relation.cardinality === 'one') return
  budget.left -= rows
  if (budget.left < 0) {
    throw tooManyEmbeddedRows(settingNames.maxEmbeddedRows, budget.limit, relation.name)
  }
}

/** Reads the related rows of all parents of an edge; `left` is the number of rows that the request may still embed. */
async function loadEdge(
  lease: Lease,
  { program, parents }: Edge,
  left: number,
): Promise<readonly LoadedRow[]> {
  const { relation } = program.embed
  const many = relation.cardinality === 'many'
  const byKey = new Map<string, LoadedRow[]>()
  const keys: (readonly Value[])[] = []
  for (const parent of parents) {
    parent.related[relation.name] = many ? [] : null
    const key = keyFromRow(relation.from, parent.values)
    if (key === undefined) continue
    const text = keyText(key)
    const known = byKey.get(text)
    if (known === undefined) {
      byKey.set(text, [parent])
      keys.push(key)
    } else known.push(parent)
  }
  const children: LoadedRow[] = []
  for (const chunk of cappedChunks(keys, relation.from.length, program.mostKeys)) {
    // Over the limit already: `spend` throws.
    if (many && children.length > left) break
    // One row more than allowed shows that there are too many.
    const max = many ? left - children.length + 1 : null
    for (const child of await loadChunk(lease, program, chunk, byKey, max)) {
      children.push(child)
    }
  }
  return children
}

/** Reads the related rows of some parents by their keys, and attaches them; `byKey` has the parents, `max` limits the rows (null: to-one, no limit). */
async function loadChunk(
  lease: Lease,
  program: EdgeProgram,
  keys: readonly (readonly Value[])[],
  byKey: ReadonlyMap<string, readonly LoadedRow[]>,
  max: number | null,
): Promise<readonly LoadedRow[]> {
  const { statement, readers, parent: reader, object } = program.statement(keys, max)
  const raws = await lease.rawRows(statement)
  requireObjects(object, raws)
  const children = loadRows(readers, raws, undefined, object?.location)
  const keyOf = parentKeyReader(reader, keys)
  for (const child of children) {
    const key = keyOf(child.raw)
    for (const parent of byKey.get(key) ?? []) attach(parent, program.embed.relation.name, child)
  }
  return children
}

/** Returns a function that reads the key of a row's parent, as the string used in `byKey`; `keys` are those of the statement. */
function parentKeyReader(
  parent: ParentReader,
  keys: readonly (readonly Value[])[],
): (raw: RawRow) => string {
  if (parent.by === 'number') {
    const texts = keys.map(keyText)
    return (raw) => texts[Number(cellOf(raw, parent.number)) - 1] ?? ''
  }
  const { key: parentKey } = parent
  const partOf = (raw: RawRow, part: KeyReader) => part.decode(cellOf(raw, part)) as Value | null
  const [only, ...others] = parentKey
  return only !== undefined && others.length === 0
    ? (raw) => String(partOf(raw, only))
    : (raw) => keyText(parentKey.map((part) => partOf(raw, part)))
}

/** Adds a related row to a parent's list, or sets it as the parent's only one. */
function attach(parent: LoadedRow, name: string, child: LoadedRow): void {
  const related = parent.related[name]
  if (Array.isArray(related)) related.push(child)
  else parent.related[name] ??= child
}
