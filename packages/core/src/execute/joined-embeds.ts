// Related rows that came beside their rows: attached, and what is to be embedded in them.

import { cellOf } from '../compile/cell.ts'
import type { JoinedEmbed } from '../compile/joined-embed.ts'
import type { Edge } from './embed.ts'
import { LoadedRow, layoutOf } from './loaded-row.ts'

/** Attaches them; gives the edges that go on from there. */
export function attachJoined(
  rows: readonly LoadedRow[],
  joined: readonly JoinedEmbed[],
): readonly Edge[] {
  return joined.flatMap(({ embed, readers, key }) => {
    const { name } = embed.relation
    const parents: LoadedRow[] = []
    const [first] = rows
    if (first === undefined) return []
    const layout = layoutOf(readers, first.layout.arrays)
    for (const row of rows) {
      const isThere = (cellOf(row.raw, key) ?? null) !== null
      const related = isThere ? new LoadedRow(layout, row.raw) : null
      row.related[name] = related
      if (related !== null) parents.push(related)
    }
    return embed.embeds.map((inner) => ({ embed: inner, parents }))
  })
}
