// bcrypt in a bounded queue: on worker threads if the runtime has them, otherwise on the main thread, where bcryptjs yields every 100 ms.

import { lazyModule } from '../../lib/lazy-module.ts'
import { createBcryptThreads } from './bcrypt-threads.ts'
import { createQueue } from './queue.ts'
import { processors } from './worker-threads.ts'

/** At most 4 threads; one processor is left to the main thread. */
const threadCount = Math.min(4, Math.max(1, (processors() ?? 2) - 1))

/** At most this many computations wait; further ones are refused with 503. */
const mostWaiting = 100

const queue = createQueue(threadCount, mostWaiting)
const threads = createBcryptThreads()

/** Without threads: one computation at a time, so that other requests wait at most one slice of 100 ms. */
const mainThreadQueue = createQueue(1, mostWaiting)

const bcryptjs = lazyModule(() => import('bcryptjs'))

/** Hashes a password with 2^`cost` rounds of bcrypt. Rejects with 503 when too many computations wait. */
export const bcryptHash = (password: string, cost: number): Promise<string> =>
  queue(async () => {
    const answer = await threads.run({ kind: 'hash', password, cost })
    if (answer !== undefined) return String(answer)
    const { hash } = await bcryptjs()
    return mainThreadQueue(() => hash(password, cost))
  })

/**
 * Whether a password matches a bcrypt hash. Also compares it with the hashes of `padding`, whose result is ignored. Rejects with 503 when
 * too many computations wait.
 */
export const bcryptCompare = (
  password: string,
  stored: string,
  padding: readonly string[],
): Promise<boolean> =>
  queue(async () => {
    const answer = await threads.run({ kind: 'compare', password, stored, padding })
    if (answer !== undefined) return answer === true
    const { compare } = await bcryptjs()
    return mainThreadQueue(async () => {
      const matches = await compare(password, stored)
      for (const hash of padding) await compare(password, hash)
      return matches
    })
  })
