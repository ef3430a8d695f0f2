// The batch loader: one statement per relation of the embed tree, whatever the number of rows (architecture §12).

import { cellOf, type RawRow } from '../compile/cell.ts'
import type { KeyReader } from '../compile/embed-query.ts'
import type { ReadStatements } from '../compile/read-statements.ts'
import { settingNames } from '../config/setting-names.ts'
import { ApiError, tooManyEmbeddedRows } from '../errors.ts'
import type { EmbedPlan, Value } from '../plan/plan.ts'
import { keysOf, keyText } from './key.ts'
import { type LoadedRow, loadRows } from './loaded-row.ts'
import { fitObjects, withValues } from './object-texts.ts'
import { type Connection, runRows } from './run.ts'

/** How many embedded rows the request may still read; shared by all its embeds. */
export interface Budget {
  readonly limit: number
  left: number
}

// SQLite takes 32,766 bound values in a statement, and lists are padded to powers of two.
const valuesPerStatement = 16_384

/**
 * Attaches the related rows of every embed. The relations of one level are read at the same time and counted in plan
 * order, so that the same request is refused for the same relation.
 */
export async function loadEmbeds(
  connection: Connection,
  statements: ReadStatements,
  embeds: readonly EmbedPlan[],
  parents: readonly LoadedRow[],
  budget: Budget,
): Promise<void> {
  return loadLevels(
    connection,
    statements,
    embeds.map((embed) => ({ embed, parents })),
    budget,
  )
}

/** A relation, and the rows it is embedded in. */
export interface Edge {
  readonly embed: EmbedPlan
  readonly parents: readonly LoadedRow[]
}

/** As `loadEmbeds`, beginning with the edges of any rows. */
export async function loadLevels(
  connection: Connection,
  statements: ReadStatements,
  edges: readonly Edge[],
  budget: Budget,
): Promise<void> {
  let level = edges
  while (level.length > 0) {
    const { left } = budget
    const loaded = await Promise.all(
      level.map(async ({ embed, parents }) => ({
        embed,
        children: await loadEmbed(connection, statements, embed, parents, left),
      })),
    )
    for (const { embed, children } of loaded) spend(budget, embed, children.length)
    level = loaded.flatMap(({ embed, children }) =>
      embed.embeds.map((inner) => ({ embed: inner, parents: children })),
    )
  }
}

export const isTooManyEmbeddedRows = (error: unknown): boolean =>
  error instanceof ApiError && error.body.code === 'too_many_embedded_rows'

/** To-one relations cost nothing: they read at most one row per parent. */
function spend(budget: Budget, { relation }: EmbedPlan, rows: number): void {
  if (relation.cardinality === 'one') return
  budget.left -= rows
  if (budget.left < 0) {
    throw tooManyEmbeddedRows(settingNames.maxEmbeddedRows, budget.limit, relation.name)
  }
}

async function loadEmbed(
  connection: Connection,
  statements: ReadStatements,
  embed: EmbedPlan,
  parents: readonly LoadedRow[],
  left: number,
): Promise<readonly LoadedRow[]> {
  const { relation } = embed
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
  const size = Math.floor(valuesPerStatement / relation.from.length)
  for (let i = 0; i < keys.length && !(many && children.length > left); i += size) {
    const most = many ? left - children.length + 1 : null
    const chunk = keys.slice(i, i + size)
    for (const child of await loadChunk(connection, statements, embed, chunk, byKey, most)) {
      children.push(child)
    }
  }
  return children
}

async function loadChunk(
  connection: Connection,
  statements: ReadStatements,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
  byKey: ReadonlyMap<string, readonly LoadedRow[]>,
  most: number | null,
): Promise<readonly LoadedRow[]> {
  const { relation } = embed
  let compiled = statements.embed(embed, keys, most)
  let raws = await runRows(connection, compiled.rows)
  if (!fitObjects(compiled, raws)) {
    compiled = withValues(statements).embed(embed, keys, most)
    raws = await runRows(connection, compiled.rows)
  }
  const { readers, parentKey, object } = compiled
  const children = loadRows(readers, raws, undefined, object?.place)
  const parentText = parentTextOf(parentKey)
  for (const child of children) {
    const key = parentText(child.raw)
    for (const parent of byKey.get(key) ?? []) attach(parent, relation.name, child)
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
