// The batch loader: one statement per relation of the embed tree, whatever the number of rows (architecture §12).

import { compileEmbed } from '../compile/embed-query.ts'
import type { Target } from '../compile/target.ts'
import { settingNames } from '../config/setting-names.ts'
import { tooManyEmbeddedRows } from '../errors.ts'
import type { EmbedPlan, Value } from '../plan/plan.ts'
import { keysOf, keyText } from './key.ts'
import type { LoadedRow } from './loaded-row.ts'
import { type Connection, load, run } from './run.ts'

/** How many embedded rows the request may still read; shared by all its embeds. */
export interface Budget {
  readonly limit: number
  left: number
}

// SQLite takes 32,766 bound values in a statement; a page holds far fewer keys, an embedded level may not.
const keysPerStatement = 500

/** Attaches the related rows of every embed, level by level. */
export async function loadEmbeds(
  connection: Connection,
  target: Target,
  embeds: readonly EmbedPlan[],
  parents: readonly LoadedRow[],
  budget: Budget,
): Promise<void> {
  await Promise.all(embeds.map((embed) => loadEmbed(connection, target, embed, parents, budget)))
}

async function loadEmbed(
  connection: Connection,
  target: Target,
  embed: EmbedPlan,
  parents: readonly LoadedRow[],
  budget: Budget,
): Promise<void> {
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
  for (let i = 0; i < keys.length; i += keysPerStatement) {
    const chunk = keys.slice(i, i + keysPerStatement)
    children.push(...(await loadChunk(connection, target, embed, chunk, byKey, budget)))
  }
  await loadEmbeds(connection, target, embed.embeds, children, budget)
}

async function loadChunk(
  connection: Connection,
  target: Target,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
  byKey: ReadonlyMap<string, readonly LoadedRow[]>,
  budget: Budget,
): Promise<readonly LoadedRow[]> {
  const { relation } = embed
  const { rows, readers, parentKey } = compileEmbed(target, embed, keys, budget.left + 1)
  const raw = await run(connection, rows)
  if (relation.cardinality === 'many') budget.left -= raw.length
  if (budget.left < 0) {
    throw tooManyEmbeddedRows(settingNames.maxEmbeddedRows, budget.limit, relation.name)
  }
  return raw.map((row) => {
    const child = load(readers, row)
    const owner = load(parentKey, row)
    const key = parentKey.map(({ key: name }) => String(ownerValue(owner, name)))
    for (const parent of byKey.get(JSON.stringify(key)) ?? []) attach(parent, relation.name, child)
    return child
  })
}

const ownerValue = (owner: LoadedRow, name: string): unknown => owner.values[name]

function attach(parent: LoadedRow, name: string, child: LoadedRow): void {
  const related = parent.related[name]
  if (Array.isArray(related)) related.push(child)
  else parent.related[name] = child
}
