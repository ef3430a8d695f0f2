/** Faults of several processes at one address: behind HAProxy, or as workers of one command. */
import { haproxyLacks } from './haproxy.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Row } from './row.ts'
import type { Setup, SetupName } from './setups.ts'
import { endAll, endOne, workersUnderLoad } from './workers.ts'

export interface Fleet {
  readonly name: string
  readonly on: readonly SetupName[]
  readonly pools?: readonly string[]
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

const workers = (
  name: string,
  ...how: Parameters<typeof workersUnderLoad> extends [Setup, string, ...infer How] ? How : never
): Fleet => ({
  name,
  on: alone,
  pools: ['ours'],
  run: (setup) => workersUnderLoad(setup, name, ...how),
})

export const fleets: readonly Fleet[] = [
  behindHaproxy('three processes behind HAProxy, each restarted (SIGTERM)', 'safe'),
  { ...behindHaproxy('the same with http-reuse always', 'always'), pools: ['ours'] },
  workers('workers ended (SIGTERM to all) and started, three times', 'all answered', endAll),
  workers('one worker of three ended (SIGTERM), three times', 'all answered', endOne('SIGTERM')),
  workers(
    'one worker of three killed (kill -9), three times',
    'connections break',
    endOne('SIGKILL'),
  ),
]
