// bcrypt in a bounded queue: on threads where the runtime has them, else in slices on the thread that serves requests.

import { createBcryptThreads } from './bcrypt-threads.ts'
import { createQueue } from './queue.ts'
import { processors } from './worker-threads.ts'

/** One processor is left to the thread that serves requests. */
const threadCount = Math.min(4, Math.max(1, (processors() ?? 2) - 1))

/** At most this many computations wait; further ones are refused with 503. */
const mostWaiting = 100

const queue = createQueue(threadCount, mostWaiting)
const threads = createBcryptThreads()

/** Without threads, one computation at a time keeps every other request at most one slice of 100 ms away. */
const onThisThread = createQueue(1, mostWaiting)

const bcryptjs = (): Promise<typeof import('bcryptjs')> => import('bcryptjs')

/** The bcrypt hash of a password; `cost`: 2^cost rounds. Rejects with 503 when too many computations wait. */
export const bcryptHash = (password: string, cost: number): Promise<string> =>
  queue(async () => {
    const answer = await threads.run({ kind: 'hash', password, cost })
    if (answer !== undefined) return String(answer)
    const { hash } = await bcryptjs()
    return onThisThread(() => hash(password, cost))
  })

/** Whether a password is that of a bcrypt hash. Rejects with 503 when too many computations wait. */
export const bcryptCompare = (password: string, stored: string): Promise<boolean> =>
  queue(async () => {
    const answer = await threads.run({ kind: 'compare', password, stored })
    if (answer !== undefined) return answer === true
    const { compare } = await bcryptjs()
    return onThisThread(() => compare(password, stored))
  })
