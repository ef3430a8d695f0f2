/** Runs one test file in a copy of the repository, and determines the outcome. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { sum } from '../support/table.ts'
import { whenOver } from '../support/time-limit.ts'
import type { Order } from '../support/worker-protocol.ts'
import type { Report } from '../worker.ts'

export type Outcome =
  | { readonly kind: 'passed'; readonly tests: number }
  | { readonly kind: 'failed'; readonly failed: number; readonly tests: number }
  /** No test ran, because the file or one of its imports could not be loaded. */
  | { readonly kind: 'unloadable' }
  | { readonly kind: 'nothing ran' }
  | { readonly kind: 'overran' }
  /** The process ended before it reported. */
  | { readonly kind: 'ended' }

export interface Trial {
  readonly outcome: Outcome
  /** The output of the tests. */
  readonly output: string
  readonly ms: number
}

const running = new Set<ChildProcess>()
/** Ends running processes if the run is interrupted. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function tryFile(
  copy: string,
  file: string,
  environment: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<Trial> {
  return new Promise((resolve) => {
    const started = Date.now()
    const child = fork(join(copy, 'test/worker.ts'), {
      cwd: copy,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    running.add(child)
    let output = ''
    let report: Report | undefined
    let overran = false
    const stopWatch = whenOver(limitMs, () => {
      overran = true
      child.kill('SIGKILL')
    })
    const collect = (data: Buffer): void => {
      output += data.toString()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.on('message', (message) => {
      report = message as Report
    })
    child.on('close', () => {
      stopWatch()
      running.delete(child)
      resolve({
        outcome: overran ? overrunOf(output) : outcomeOf(report),
        output,
        ms: Date.now() - started,
      })
    })
    const order: Order = { file: join(copy, file), coverage: undefined, spares: {}, next: false }
    child.send(order)
  })
}

/** The outcome after the time limit, from the failures so far: a broken lock makes all later tests of its file wait. */
function overrunOf(output: string): Outcome {
  const failed = [...output.matchAll(/^ *FAIL {2}/gm)].length
  return failed > 0 ? { kind: 'failed', failed, tests: failed } : { kind: 'overran' }
}

function outcomeOf(report: Report | undefined): Outcome {
  if (report === undefined) return { kind: 'ended' }
  if (!report.loaded) return { kind: 'unloadable' }
  const { passed, failed } = sum([report])
  const tests = passed + failed
  if (tests === 0) return { kind: 'nothing ran' }
  return failed > 0 ? { kind: 'failed', failed, tests } : { kind: 'passed', tests }
}
