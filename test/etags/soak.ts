/** Two processes that read and write the same records, and the result: whether a 304 was sent for an outdated copy. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sourceArguments } from '../support/node-arguments.ts'
import type { Message } from './histories.ts'
import type { Order, Tally } from './process.ts'

export interface SoakOptions {
  /** A database with the tables of `world.ts`: a URL, or the path of a SQLite file. */
  readonly url: string
  /** The number of requests of both processes together. */
  readonly operations: number
  readonly seed: number
}

type Told = Message | { readonly kind: 'done'; readonly tally: Tally }

/**
 * A process announces each write to the other one before it sends it, and reports when it got the response. A response is stale
 * if it shows a record as it was before a write whose response came before the read began. Nothing is locked for that: a read
 * that shows a state which its process does not know yet waits until the other one has announced all the writes it has begun.
 */
export async function soak({ url, operations, seed }: SoakOptions): Promise<Tally> {
  const both = ([0, 1] as const).map((index) =>
    start({ url, index, operations: Math.ceil(operations / 2), seed }),
  )
  try {
    const tallies = await Promise.all(
      both.map((child, i) => tallyOf(child, both[1 - i] as ChildProcess)),
    )
    return sum(tallies)
  } finally {
    for (const child of both) if (child.connected) child.disconnect()
  }
}

const start = (order: Order): ChildProcess =>
  fork(fileURLToPath(new URL('process.ts', import.meta.url)), [JSON.stringify(order)], {
    execArgv: [...sourceArguments],
  })

/** Passes the messages of a process on to the other one until it is finished. */
const tallyOf = (child: ChildProcess, other: ChildProcess): Promise<Tally> =>
  new Promise((resolve, reject) => {
    child.on('message', (told: Told) => {
      if (told.kind === 'done') resolve(told.tally)
      else if (other.connected) other.send(told)
    })
    child.on('exit', (code) => reject(new Error(`a process ended (${code})`)))
  })

const sum = (tallies: readonly Tally[]): Tally => {
  const total = (name: Exclude<keyof Tally, 'stale'>): number =>
    tallies.reduce((all, tally) => all + tally[name], 0)
  return {
    operations: total('operations'),
    writes: total('writes'),
    conditionalReads: total('conditionalReads'),
    notModified: total('notModified'),
    sharedTags: total('sharedTags'),
    asked: total('asked'),
    stale: tallies.flatMap(({ stale }) => stale),
  }
}
