/** `model-api serve --workers` under load: the whole command ended, one worker ended, one worker killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { brokenRequests } from './broken-requests.ts'
import { emptyLedger, judge, type Ledger } from './ledger.ts'
import { startLoad } from './load.ts'
import type { Row } from './row.ts'
import { prepare, type Setup } from './setups.ts'
import { startWorkers, type WorkerCommand, type WorkerCommandOptions } from './worker-command.ts'
import { linesOfOrder } from './world.ts'

const count = 3
const clients = 8
/**
 * The most milliseconds that a command without a drain delay needs to end: its time limit for running requests, and some for a
 * busy machine.
 */
const longestEnd = 12_000

interface Scene {
  readonly options: WorkerCommandOptions
  readonly ledger: Ledger
  /** The command that is running now. */
  command: WorkerCommand
  /** What went wrong. */
  readonly wrong: string[]
}

/** `connections break`: connections may end without a response, because the fault kills a process. */
type Ends = 'all answered' | 'connections break'

export async function workersUnderLoad(
  setup: Setup,
  fault: string,
  ends: Ends,
  act: (scene: Scene) => Promise<void>,
): Promise<Row> {
  await prepare(setup)
  const [target = ''] = setup.targets
  const options = { target, port: await freePort(), count, drainDelay: 0 }
  const ledger = emptyLedger()
  const scene: Scene = { options, ledger, command: await startWorkers(options), wrong: [] }
  const broken = brokenRequests()
  const load = { url: () => `http://127.0.0.1:${options.port}`, ledger, clients }
  const stop = startLoad({ ...load, serviceEnds: ends === 'connections break' })
  try {
    await sleep(1_000)
    for (let i = 0; i < 3; i++) {
      await act(scene)
      await sleep(1_500)
    }
    const before = ledger.successes.length
    await sleep(1_500)
    if (ledger.successes.length < before + clients) scene.wrong.push('clients are not served')
    await stop()
    const end = await scene.command.end('SIGTERM')
    if (end.code !== 0 || end.took > longestEnd) scene.wrong.push(`ended ${JSON.stringify(end)}`)
    // `brokenRequests` counts these instead, by connection: a request that never reached a worker was not accepted.
    for (const what of ledger.wrong.keys()) {
      if (/ended without an answer: (?:ECONN|UND_ERR_SOCKET)/.test(what)) ledger.wrong.delete(what)
    }
    const { onKept, onNew } = broken()
    if (ends === 'all answered') {
      if (onNew > 0) console.log(`${onNew} connections were reset before a worker had taken them`)
      if (onKept > 0) scene.wrong.push(`${onKept} requests on open connections were not answered`)
    }
    const { lost, half, wrong } = judge(ledger, await setup.stored(), linesOfOrder)
    return {
      setup: `${setup.title}, ours`,
      fault,
      answered: ledger.successes.length,
      unavailable: ledger.statuses.get(503) ?? 0,
      lost,
      half,
      wrong: [...wrong, ...scene.wrong],
      unanswered: ledger.unanswered,
      deaths: 0,
      recovery: 0,
      leaked: '0',
      errors: {},
    }
  } finally {
    await stop()
    await scene.command.end('SIGKILL')
  }
}

/** Ends the command with its workers, and starts it again. */
export async function endAll(scene: Scene): Promise<void> {
  const { code, took } = await scene.command.end('SIGTERM')
  if (code !== 0) scene.wrong.push(`the command ended with code ${code}`)
  if (took > longestEnd) scene.wrong.push(`the command took ${took} ms to end`)
  scene.command = await startWorkers(scene.options)
}

/** Ends one worker with a signal, and waits until another has taken its place. */
export const endOne =
  (signal: NodeJS.Signals) =>
  async ({ command, ledger, wrong }: Scene): Promise<void> => {
    const [one = 0] = command.workers()
    const broken = ledger.statuses.get(0) ?? 0
    const before = ledger.successes.length
    process.kill(one, signal)
    await command.untilServing([one])
    if (ledger.successes.length === before) wrong.push('nobody was served meanwhile')
    const more = (ledger.statuses.get(0) ?? 0) - broken
    if (more > clients) wrong.push(`${more} connections broke, of ${clients} clients`)
  }
