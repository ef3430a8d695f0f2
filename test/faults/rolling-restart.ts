/** HAProxy in front of three processes, each of which is restarted in turn while clients read and write through it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Haproxy, startHaproxy } from './haproxy.ts'
import { emptyLedger, judge } from './ledger.ts'
import { startLoad } from './load.ts'
import type { Row } from './row.ts'
import { type Service, startService } from './service-process.ts'
import { prepare, type Setup } from './setups.ts'
import { linesOfOrder } from './world.ts'

const processes = 3
/** The least number of requests that clients send. */
const leastRequests = 6_000
/** Milliseconds: two checks of HAProxy, a second apart, and one second more. */
const drainDelay = 3_000

export async function rollingRestart(
  setup: Setup,
  pool: string,
  fault: string,
  reuse: string,
): Promise<Row> {
  await prepare(setup)
  const services: Service[] = []
  let proxy: Haproxy | undefined
  const ledger = emptyLedger()
  let stop = async (): Promise<void> => {}
  try {
    const [target = ''] = setup.targets
    for (let i = 0; i < processes; i++) {
      services.push(await startService(setup, target, pool, { drainDelay }))
    }
    const front = await startHaproxy({ ports: services.map(({ port }) => port), reuse })
    proxy = front
    stop = startLoad({
      url: () => `http://127.0.0.1:${front.port}`,
      ledger,
      clients: 12,
      serviceEnds: false,
      withoutTwins: true,
    })
    await sleep(1_000)
    const sent = (): number => [...ledger.statuses.values()].reduce((sum, n) => sum + n, 0)
    while (sent() < leastRequests) {
      for (const { port, restart } of services) {
        await restart('SIGTERM')
        await front.until(port, 'UP')
      }
    }
    await stop()
    const { lost, half, wrong } = judge(ledger, await setup.stored(), linesOfOrder)
    const failed = [...ledger.statuses].filter(([status]) => status === 0 || status >= 500)
    const all = [
      ...wrong,
      ...failed.map(([status, times]) => `answered with ${status} (${times})`),
      ...[...front.failures].map(([line, times]) => `in the log of HAProxy: ${line} (${times})`),
    ]
    return {
      setup: `${setup.title}, ${pool}`,
      fault,
      answered: ledger.successes.length,
      unavailable: ledger.statuses.get(503) ?? 0,
      lost,
      half,
      wrong: all,
      unanswered: ledger.unanswered,
      deaths: services.flatMap(({ deaths }) => deaths).length,
      recovery: 0,
      leaked: '0',
      errors: (await services[0]?.gauges())?.errors ?? {},
    }
  } finally {
    await stop()
    await proxy?.stop()
    for (const one of services) await one.end()
  }
}
