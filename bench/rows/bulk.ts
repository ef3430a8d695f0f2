/** Inserts many new records at each size, in lists of the maximum length of a request. */
import type { Next } from '../ask.ts'
import { random } from '../random.ts'
import { ownersOf } from './data.ts'
import { type Costs, costOf, noCosts, ways } from './measure.ts'
import { answerOf, type Place, run } from './place.ts'
import { columns, type Given } from './questions.ts'

/** The default of `API_MAX_BULK`. */
export const recordsOfList = 1_000

/** Writes `records` records in each way, in turns a list through model-api and a list by hand. Then deletes them. */
export async function bulkInTurns(places: readonly Place[], records: number): Promise<Costs> {
  const costs = noCosts(places)
  for (const place of places) {
    const { given, script, api } = place
    const next = random(given.rows)
    for (let written = 0; written < records; written += recordsOfList) {
      for (const way of ways) {
        const body = JSON.stringify(
          Array.from({ length: recordsOfList }, () => newItem(next, given)),
        )
        const write =
          way === 'by hand'
            ? () => insert(place, body)
            : () =>
                answerOf(api, { method: 'POST', url: '/api/items?dump_relationships=false', body })
        costs.get(place)?.[way].push(await costOf(place, write, { milliseconds: 0, requests: 1 }))
      }
    }
    await script.run(`delete from items where id > ${given.rows}`)
  }
  return costs
}

const names = ['owner_id', 'title', 'state', 'price', 'pieces', 'created_at'] as const

type NewItem = Readonly<Record<(typeof names)[number], unknown>>

const newItem = (next: Next, { rows }: Given): NewItem => ({
  owner_id: 1 + next(ownersOf(rows)),
  title: `item ${next(1_000_000_000)}`,
  state: 'open',
  price: '12.50',
  pieces: next(1000),
  created_at: new Date(Date.UTC(2015, 0, 1) + next(rows) * 1000).toISOString(),
})

/** Takes the text of a body and returns the text of a response. Does not check the body. */
async function insert(place: Place, body: string): Promise<string> {
  const items = JSON.parse(body) as readonly NewItem[]
  const one = `(${names.map(() => '?').join(', ')})`
  const rows = await run(place, {
    text: `insert into items (${names.join(', ')}) values ${items.map(() => one).join(', ')} returning ${columns}`,
    parameters: items.flatMap((item) =>
      names.map((name) =>
        name === 'created_at' ? String(item[name]).replace('T', ' ').replace('Z', '') : item[name],
      ),
    ),
  })
  return JSON.stringify(rows)
}
