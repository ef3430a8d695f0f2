/** Sends requests to every size in turns, in both ways, and measures the cost of a request. */
import { random } from '../random.ts'
import { cpuOfThreads, databaseThreads } from '../threads.ts'
import { answerOf, type Place, run } from './place.ts'
import type { Question } from './questions.ts'

/** The cost of a request. */
export interface Cost {
  readonly milliseconds: number
  /** Microseconds of CPU of this process. */
  readonly server: number
  /** Microseconds of CPU of the database's threads. */
  readonly database: number
}

export type Way = 'model-api' | 'by hand'
export const ways: readonly Way[] = ['model-api', 'by hand']

/** The costs of each round, by place and way. */
export type Costs = ReadonlyMap<Place, Readonly<Record<Way, Cost[]>>>

export const noCosts = (places: readonly Place[]): Costs =>
  new Map(places.map((place) => [place, { 'model-api': [], 'by hand': [] }]))

/** The length of one turn: until either limit is reached, but at least one request. */
export interface Turn {
  readonly milliseconds: number
  readonly requests: number
}

/** Milliseconds. A request that takes longer is not repeated. */
const longest = 5_000

/** Measures every place in both ways in each round. The first round is the warm-up; it counts only if it was long. */
export async function inTurns(
  places: readonly Place[],
  question: Question,
  rounds: number,
  turn: Turn,
): Promise<Costs> {
  const costs = noCosts(places)
  for (let round = -1; round < rounds; round++) {
    for (const place of places) {
      for (const way of ways) {
        const known = costs.get(place)?.[way] ?? []
        if (known.some((cost) => cost.milliseconds > longest)) continue
        const cost = await costOf(place, asking(question, place, way, round), turn)
        if (round >= 0 || cost.milliseconds > longest) known.push(cost)
      }
    }
  }
  return costs
}

/** Returns a function that sends one request after the other, each with other values. Both ways get the same values. */
function asking(question: Question, place: Place, way: Way, seed: number) {
  const next = random(seed + 2)
  return way === 'by hand'
    ? async () => JSON.stringify(await byHand(question, place, next))
    : () => answerOf(place.api, question.api(next, place.given))
}

async function byHand(question: Question, place: Place, next: (below: number) => number) {
  const found: (readonly unknown[])[] = []
  for (const statement of question.hand(next, place.given)) found.push(await run(place, statement))
  return found
}

/** Returns the mean cost of the requests of one turn. */
export async function costOf(
  place: Place,
  ask: () => Promise<unknown>,
  { milliseconds, requests }: Turn,
): Promise<Cost> {
  // The pool may have closed idle connections, so this opens one.
  await run(place, { text: 'select 1' })
  const threads = await databaseThreads(place.given.database, place.script, process.pid)
  const database = cpuOfThreads(threads) ?? Number.NaN
  const [used, started] = [process.cpuUsage(), performance.now()]
  let count = 0
  do {
    await ask()
    count++
  } while (count < requests && performance.now() < started + milliseconds)
  const passed = performance.now() - started
  const { user, system } = process.cpuUsage(used)
  return {
    milliseconds: passed / count,
    server: (user + system) / count,
    database: ((cpuOfThreads(threads) ?? Number.NaN) - database) / count,
  }
}

/** Throws if the statements by hand do not return the same rows as model-api in the same order, for several different values. */
export async function requireSameRows(
  question: Question,
  place: Place,
  times: number,
): Promise<void> {
  for (let seed = 1; seed <= times; seed++) {
    const answer = await answerOf(place.api, question.api(random(seed), place.given))
    const { value } = JSON.parse(answer) as { readonly value: unknown }
    const rows = [value].flat() as readonly Row[]
    const lists = (await byHand(question, place, random(seed))) as readonly (readonly Row[])[]
    requireSame(question, namesOf(rows), namesOf(lists.find((list) => list.length > 0)))
    const { embeds } = question
    if (embeds === undefined) continue
    const related = rows.flatMap((row) => row[embeds] as Row | readonly Row[])
    const byHandToo =
      embeds === 'items' ? lists.at(-1) : lists[0]?.map(({ owner_id }) => ({ id: owner_id }))
    requireSame(question, namesOf(byId(related)), namesOf(byId(byHandToo)))
  }
}

function requireSame({ name }: Question, own: string, hand: string): void {
  if (own !== hand) throw new Error(`${name}: model-api answers ${own}, by hand it is ${hand}`)
}

type Row = Readonly<Record<string, unknown>>

/** Names the rows: records by their ids, groups by their states. */
const namesOf = (rows: readonly Row[] | undefined): string =>
  (rows ?? []).map(({ id, state }) => String(id ?? state)).join()

const byId = (rows: readonly Row[] | undefined): readonly Row[] =>
  [...(rows ?? [])].sort((a, b) => Number(a.id) - Number(b.id))
