/**
 * The fault suite: faults on servers started for it, under load, with a ledger of what was acknowledged. It takes minutes and
 * is not part of `npm test`: `pnpm faults [name part …] [--setup postgres] [--pool ours] [--soak minutes]`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Fault, faults } from './faults.ts'
import { fleets } from './fleets.ts'
import { emptyLedger, judge, type Ledger } from './ledger.ts'
import { startLoad } from './load.ts'
import { isGood, type Row } from './row.ts'
import { type Service, startService } from './service-process.ts'
import { prepare, type Setup, setupNames, startSetup } from './setups.ts'
import { linesOfOrder } from './world.ts'

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    setup: { type: 'string', multiple: true },
    pool: { type: 'string', multiple: true },
    soak: { type: 'string' },
  },
})

const clients = 8
/** The maximum number of connections of the service. */
const poolSize = 10

async function tryFault(setup: Setup, pool: string, fault: Fault): Promise<Row> {
  await prepare(setup)
  const services = await startServices(setup, pool)
  const [service] = services
  const ledger = emptyLedger()
  const url = inTurn(services)
  const stop = startLoad({ url, ledger, clients, serviceEnds: fault.serviceEnds === true })
  try {
    await sleep(1_500)
    const { port } = service
    const scene = {
      setup,
      port,
      ports: services.map((one) => one.port),
      restartService: (signal: NodeJS.Signals) => service.restart(signal),
    }
    const missed: string[] = await fault.run(scene).then(
      () => [],
      (error: unknown) => [`the fault was not made: ${String(error)}`],
    )
    const ended = performance.now()
    const recovery = await recovered(ledger, ended)
    await stop()
    await sleep(1_500)
    const leaked = await leakedConnections(setup, url)
    const { errors } = await service.gauges()
    const { reports } = fault
    if (reports !== undefined && !Object.keys(errors).some((error) => reports.test(error))) {
      missed.push('the service did not notice the fault')
    }
    const { lost, half, wrong } = judge(ledger, await setup.stored(), linesOfOrder)
    return {
      setup: `${setup.title}, ${pool}`,
      fault: fault.name,
      answered: ledger.successes.length,
      unavailable: ledger.statuses.get(503) ?? 0,
      lost,
      half,
      wrong: [...wrong, ...missed],
      unanswered: ledger.unanswered,
      deaths: services.flatMap(({ deaths }) => deaths).length,
      recovery,
      leaked,
      errors,
    }
  } finally {
    await stop()
    for (const one of services) await one.end()
  }
}

/** Starts one process for each target. The gauges of the first one are read, and faults end it. */
async function startServices(
  setup: Setup,
  pool: string,
  options: Parameters<typeof startService>[3] = {},
): Promise<[Service, ...Service[]]> {
  const [first = '', ...others] = setup.targets
  const services: [Service, ...Service[]] = [await startService(setup, first, pool, options)]
  for (const target of others) services.push(await startService(setup, target, pool, options))
  return services
}

/** Returns the URLs of the services in rotation. */
function inTurn(services: readonly Service[]): () => string {
  let asked = 0
  return () => {
    asked += 1
    return `http://127.0.0.1:${services[asked % services.length]?.port}`
  }
}

/**
 * Waits until requests succeed again, at most half a minute, and then a second more. Returns the milliseconds until three times
 * as many requests as there are clients had succeeded.
 */
async function recovered({ successes }: Ledger, since: number): Promise<number> {
  const needed = clients * 3
  const deadline = since + 30_000
  while (performance.now() < deadline) {
    const after = successes.filter((at) => at > since)
    if (after.length >= needed) {
      await sleep(1_000)
      return Math.round((after[needed - 1] ?? since) - since)
    }
    await sleep(50)
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Sends three times as many requests at once as the pools of all services have connections. Returns `0` if all are served over
 * no more connections than a pool may have; otherwise says what is wrong.
 */
async function leakedConnections(setup: Setup, url: () => string): Promise<string> {
  const answers = await Promise.all(
    Array.from({ length: poolSize * 3 * setup.targets.length }, () =>
      fetch(`${url()}/api/entries?limit=50`, { signal: AbortSignal.timeout(10_000) }).then(
        async (response) => {
          await response.text()
          return response.status
        },
        () => 0,
      ),
    ),
  )
  const served = answers.filter((status) => status === 200).length
  const open = await setup.connections()
  if (served < answers.length) return `${answers.length - served} of ${answers.length} not served`
  return open > poolSize ? `${open} connections` : '0'
}

async function soak(setup: Setup, pool: string, minutes: number): Promise<void> {
  await prepare(setup)
  // Counting entries blocks the process for seconds. With a shorter time, Node would then close idle connections before it
  // reads the requests that have arrived on them.
  const services = await startServices(setup, pool, { keepAliveTimeout: 120_000 })
  const [service] = services
  const ledger = emptyLedger()
  const stop = startLoad({ url: inTurn(services), ledger, clients: 4, serviceEnds: false })
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
  for (let minute = 0; minute <= minutes; minute++) {
    await sleep(minute === 0 ? 20_000 : 60_000)
    const asked = performance.now()
    const { heap, resident, handles, kept } = await service.gauges()
    console.log(
      `soak ${setup.title}, ${pool}, minute ${minute}: heap ${mebibytes(heap)}, resident ${mebibytes(resident)}, ${handles} handles, ${kept} entries in maps and sets; counted in ${Math.round(performance.now() - asked)} ms; ${ledger.statuses.get(0) ?? 0} requests without an answer`,
    )
  }
  await stop()
  const verdict = judge(ledger, await setup.stored(), linesOfOrder)
  console.log(`soak ${setup.title}, ${pool}: ${ledger.successes.length} answers,`, verdict)
  for (const one of services) await one.end()
}

const rows: Row[] = []
function note(row: Row): void {
  rows.push(row)
  const { errors, ...said } = row
  console.log(isGood(row) ? '✓' : '✗', JSON.stringify(said))
  if (!isGood(row)) console.log('  reported:', JSON.stringify(errors, null, 1).slice(0, 1500))
}
for (const title of setupNames) {
  if (options.setup !== undefined && !options.setup.includes(title)) continue
  const setup = await startSetup(title)
  if ('lacks' in setup) {
    console.log(`NOT RUN: ${title}, ${setup.lacks}`)
    continue
  }
  try {
    for (const pool of options.pool ?? ['ours', "the host's"]) {
      for (const fault of faults) {
        if (!fault.on.includes(title) || !parts.every((part) => fault.name.includes(part))) continue
        if (fault.pools?.includes(pool) === false) continue
        if (fault.fillsDisk === true && setup.disk === null) {
          console.log(`NOT RUN: ${title}, ${fault.name}: a file system cannot be mounted`)
          continue
        }
        note(await tryFault(setup, pool, fault))
      }
      for (const fleet of fleets) {
        if (!fleet.on.includes(title) || !parts.every((part) => fleet.name.includes(part))) continue
        if (fleet.pools?.includes(pool) === false) continue
        if (fleet.lacks === undefined) note(await fleet.run(setup, pool))
        else console.log(`NOT RUN: ${fleet.name}, ${fleet.lacks}`)
      }
      if (options.soak !== undefined) await soak(setup, pool, Number(options.soak))
    }
  } finally {
    await setup.remove()
  }
}

console.log(
  '\n| Set-up | Fault | Answered | 503 | Lost | Half | Wrong | Unanswered | Ended | Recovered after | Connections leaked |',
)
console.log('|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|')
for (const row of rows) {
  const cells = [row.setup, row.fault, row.answered, row.unavailable, row.lost, row.half]
  const more = [row.wrong.length, row.unanswered, row.deaths, `${row.recovery} ms`, row.leaked]
  console.log(`| ${[...cells, ...more].join(' | ')} |`)
}
const failed = rows.filter((row) => !isGood(row)).length
console.log(`\n${rows.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
