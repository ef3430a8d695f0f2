// The batch loader: one statement per relation of the embed tree, whatever the number of rows (architecture §12).

import { cellOf, type RawRow } from '../compile/cell.ts'
import type { KeyReader } from '../compile/embed-query.ts'
import type { EdgeProgram, JoinedEdge } from '../compile/read-program.ts'
import { settingNames } from '../config/setting-names.ts'
import { tooManyEmbeddedRows } from '../errors.ts'
import type { EmbedPlan, Value } from '../plan/plan.ts'
import { chunks } from './chunks.ts'
import { keysOf, keyText } from './key.ts'
import { LoadedRow, layoutOf, loadRows } from './loaded-row.ts'
import { requireObjects } from './promised-form.ts'
import { type Connection, runRows } from './run.ts'

/** How many embedded rows the request may still read; shared by all its embeds. */
export interface Budget {
  readonly limit: number
  left: number
}

/** A relation, and the rows it is embedded in. */
export interface Edge {
  readonly program: EdgeProgram
  readonly parents: readonly LoadedRow[]
}

export const edgesFrom = (
  programs: readonly EdgeProgram[],
  parents: readonly LoadedRow[],
): readonly Edge[] => programs.map((program) => ({ program, parents }))

/**
 * Attaches the related rows of every relation. The relations of one level are read at the same time and counted in plan
 * order, so that the same request is refused for the same relation.
 */
export async function loadEdges(
  connection: Connection,
  edges: readonly Edge[],
  budget: Budget,
): Promise<void> {
  let level = edges
  while (level.length > 0) {
    const { left } = budget
    const loaded = await Promise.all(
      level.map(async (edge) => ({ ...edge, children: await loadEdge(connection, edge, left) })),
    )
    for (const { program, children } of loaded) spend(budget, program.embed, children.length)
    level = loaded.flatMap(({ program, children }) => edgesFrom(program.edges, children))
  }
}

/** Attaches related rows that came beside their rows; gives the edges that go on from there. */
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
      const isThere = (cellOf(row.raw, key) ?? null) !== null
      const related = isThere ? new LoadedRow(layout, row.raw) : null
      row.related[embed.relation.name] = related
      if (related !== null) parents.push(related)
    }
    return edgesFrom(edges, parents)
  })
}

/** To-one relations cost nothing: they read at most one row per parent. */
function spend(budget: Budget, { relation }: EmbedPlan, rows: number): void {
  if (relation.cardinality === 'one') return
  budget.left -= rows
  if (budget.left < 0) {
    throw tooManyEmbeddedRows(settingNames.maxEmbeddedRows, budget.limit, relation.name)
  }
}

async function loadEdge(
  connection: Connection,
  { program, parents }: Edge,
  left: number,
): Promise<readonly LoadedRow[]> {
  const { relation } = program.embed
  const many = relation.cardinality === 'many'
  const byKey = new Map<string, LoadedRow[]>()
  const keys: (readonly Value[])[] = []
  for (const parent of parents) {
    parent.related[relation.name] = many ? [] : null
    const key = keysOf(relation.from, parent.values)
    if (key === undefined) continue
    const text = keyText(key)
    const known = byKey.get(text)
    if (known === undefined) {
      byKey.set(text, [parent])
      keys.push(key)
    } else known.push(parent)
  }
  const children: LoadedRow[] = []
  for (const chunk of chunks(keys, relation.from.length)) {
    if (many && children.length > left) break
    const most = many ? left - children.length + 1 : null
    for (const child of await loadChunk(connection, program, chunk, byKey, most)) {
      children.push(child)
    }
  }
  return children
}

async function loadChunk(
  connection: Connection,
  program: EdgeProgram,
  keys: readonly (readonly Value[])[],
  byKey: ReadonlyMap<string, readonly LoadedRow[]>,
  most: number | null,
): Promise<readonly LoadedRow[]> {
  const { statement, readers, parentKey, object } = program.statement(keys, most)
  const raws = await runRows(connection, statement)
  requireObjects(object, raws)
  const children = loadRows(readers, raws, undefined, object?.location)
  const parentText = parentTextOf(parentKey)
  for (const child of children) {
    const key = parentText(child.raw)
    for (const parent of byKey.get(key) ?? []) attach(parent, program.embed.relation.name, child)
  }
  return children
}

/** Reads the key of the parent a row belongs to, as the text that tells parents apart. */
function parentTextOf(parentKey: readonly KeyReader[]): (raw: RawRow) => string {
  const partOf = (raw: RawRow, part: KeyReader) => part.decode(cellOf(raw, part)) as Value | null
  const [only, ...others] = parentKey
  return only !== undefined && others.length === 0
    ? (raw) => String(partOf(raw, only))
    : (raw) => keyText(parentKey.map((part) => partOf(raw, part)))
}

function attach(parent: LoadedRow, name: string, child: LoadedRow): void {
  const related = parent.related[name]
  if (Array.isArray(related)) related.push(child)
  else parent.related[name] ??= child
}
