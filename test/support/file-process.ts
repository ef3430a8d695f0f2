/** A process that runs test files one after the other, until one fails or leaves something behind. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Report } from '../worker.ts'
import type { Coverage } from './choose-servers.ts'
import { resolveHook } from './node-arguments.ts'
import type { Way } from './path.ts'
import type { Spares } from './spare-databases.ts'
import { whenOver } from './time-limit.ts'
import { endOfFile, type Order } from './worker-protocol.ts'

export interface FileResult {
  readonly report: Report
  /** The output of the process during the file, and how the process ended if it ended before its report. */
  readonly output: string
}

interface Kind {
  /** The way in which its tests send requests. */
  readonly way: Way
  /** Whether it ends after its first file. */
  readonly alone: boolean
}

export interface FileOrder {
  /** Its name in the output of the runner. */
  readonly title: string
  readonly path: string
  /** The servers that the file runs on, unless the file declares them itself. */
  readonly coverage: Coverage | undefined
  readonly limitMs: number
  /** Databases that earlier files emptied. */
  readonly spares?: Spares
}

export interface FileProcess {
  readonly way: Way
  /** The files that ran in it, oldest first. */
  readonly files: readonly string[]
  /** Whether it can run another file. */
  readonly isOpen: () => boolean
  readonly run: (file: FileOrder) => Promise<FileResult>
  readonly end: () => Promise<void>
}

/** The report for a process that ended before it sent one. */
const noReport: Report = {
  counts: { none: { passed: 0, failed: 1, skipped: 0 } },
  coverage: undefined,
  node: undefined,
  notRun: [],
  loaded: false,
  leftover: 'a failure',
  spares: {},
  cpu: { own: 0, children: 0 },
}

const worker = fileURLToPath(new URL('../worker.ts', import.meta.url))

/** The Node that runs test files: that of the variable TEST_NODE, or else the runner's own. */
const testNode = (env: NodeJS.ProcessEnv): string => env.TEST_NODE || process.execPath

export function startFileProcess(env: NodeJS.ProcessEnv, { way, alone }: Kind): FileProcess {
  const child = fork(worker, {
    execPath: testNode(env),
    execArgv: [...process.execArgv, resolveHook],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env,
  })
  const files: string[] = []
  let open = true
  let output = ''
  let report: Report | undefined
  let settle = (_ended: boolean): void => {}

  const collect = (data: Buffer): void => {
    output += data.toString()
    lookForEnd()
  }
  // Output and report arrive through different pipes, in any order. `endOfFile` is printed on both outputs, so the output is
  // complete once both marks have arrived.
  const lookForEnd = (): void => {
    if (report?.leftover === undefined && report !== undefined && !alone) {
      if (output.split(endOfFile).length === 3) settle(false)
    }
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  child.on('message', (message) => {
    report = message as Report
    lookForEnd()
  })
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      open = false
      if (report === undefined && files.length > 0) {
        output += `\n  ended before it reported (${signal ?? `exit ${code}`})\n`
      }
      settle(true)
      resolve()
    })
  })

  return {
    way,
    files,
    isOpen: () => open,
    run: ({ title, path, coverage, limitMs, spares = {} }) =>
      new Promise((resolve) => {
        files.push(title)
        output = ''
        report = undefined
        const stopWatch = whenOver(limitMs, (limit) => {
          output += `\n  stopped after ${Math.round(limit / 1000)} s\n`
          child.kill('SIGKILL')
        })
        settle = (hasEnded) => {
          settle = () => {}
          stopWatch()
          if (hasEnded) open = false
          resolve({ report: report ?? noReport, output: output.replaceAll(endOfFile, '') })
        }
        send(child, { file: path, coverage, spares, next: !alone })
      }),
    end: async () => {
      open = false
      child.kill()
      await ended
    },
  }
}

function send(child: ChildProcess, order: Order): void {
  // If the process has just ended, its `close` event settles the run.
  if (child.connected) child.send(order, () => {})
}
