/** `model-api serve --workers` as a separate process, with the workers that it starts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface WorkerCommand {
  /** The supervisor process. */
  readonly pid: number
  /** The workers that accept requests now. */
  workers(): readonly number[]
  /** Waits until the configured number of workers serves, none of them in `except`. */
  untilServing(except?: readonly number[]): Promise<void>
  /** Sends a signal to the supervisor; returns its exit code, and the milliseconds until it and its workers had ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; took: number }>
}

export interface WorkerCommandOptions {
  readonly target: string
  readonly port: number
  readonly count: number
  readonly drainDelay: number
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export async function startWorkers(options: WorkerCommandOptions): Promise<WorkerCommand> {
  const { target, port, count, drainDelay } = options
  const words = [`--port=${port}`, `--workers=${count}`, `--drain-delay=${drainDelay}`]
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      fileOf('../../packages/http-node/src/cli.ts'),
      'serve',
      fileOf('served-world.ts'),
      ...words,
    ],
    { env: { ...process.env, FAULTS_TARGET: target }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  const serving = new Set<number>()
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const closed = once(child, 'close')
  const workers = (): readonly number[] => {
    const [, first = ''] = /workers: processes (.*)\n/.exec(said) ?? []
    const later = [...said.matchAll(/Worker (\d+) serves\./g)].map(([, pid]) => Number(pid))
    for (const pid of [...first.split(', ').map(Number), ...later]) if (runs(pid)) serving.add(pid)
    return [...serving].filter(runs)
  }
  const untilServing = async (except: readonly number[] = []): Promise<void> => {
    for (let attempt = 0; attempt < 600; attempt++) {
      const now = workers()
      if (now.length === count && !now.some((pid) => except.includes(pid))) return
      if (child.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`not all workers serve:\n${said}`)
  }
  await untilServing()
  return {
    pid: child.pid ?? 0,
    workers,
    untilServing,
    end: async (signal) => {
      const began = performance.now()
      const processes = workers()
      child.kill(signal)
      await closed
      while (processes.some(runs)) await new Promise((resolve) => setTimeout(resolve, 10))
      return { code: child.exitCode, took: Math.round(performance.now() - began) }
    },
  }
}

const runs = (pid: number): boolean => {
  if (!(pid > 0)) return false
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
