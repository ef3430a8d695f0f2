/** Faults of several processes at one address: behind HAProxy, or as workers of one command. */
import { haproxyLacks } from './haproxy.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Row } from './row.ts'
import type { Setup, SetupName } from './setups.ts'

export interface Fleet {
  readonly name: string
  readonly on: readonly SetupName[]
  /** What is missing to run it. */
  readonly lacks?: string | undefined
  run(setup: Setup, pool: string): Promise<Row>
}

const alone = ['sqlite', 'postgres', 'mysql'] as const

const behindHaproxy = (name: string, reuse: string): Fleet => ({
  name,
  on: alone,
  lacks: haproxyLacks,
  run: (setup, pool) => rollingRestart(setup, pool, name, reuse),
})

export const fleets: readonly Fleet[] = [
  behindHaproxy('three processes behind HAProxy, each restarted (SIGTERM)', 'safe'),
  behindHaproxy('the same with http-reuse always', 'always'),
]
