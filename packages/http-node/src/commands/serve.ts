// model-api serve: serves a database or an application's API until the process is asked to end, in one process or several.

import cluster from 'node:cluster'
import { supervise } from '../cluster/supervise.ts'
import { forkWorker } from '../cluster/worker-process.ts'
import { isModule } from './exported-api.ts'
import type { CommandIo } from './io.ts'
import type { Listening } from './listen.ts'
import { reportedFailure, usageError } from './output/failure.ts'
import type { ReadSchemaOptions } from './read-database.ts'
import { serveDatabase } from './serve-database.ts'
import { serveModule } from './serve-module.ts'

export interface ServeOptions extends Listening, ReadSchemaOptions {
  /** The number of worker processes; with 1, this process serves. */
  readonly workers: number
  /** Read replicas of the database. */
  readonly replicas?: readonly string[]
  /** Whether clients may write, and whether the user has confirmed that already; absent: read-only. */
  readonly write?: 'ask' | 'confirmed'
}

/** Serves until `io.stopped` resolves. */
export async function serve(target: string, options: ServeOptions, io: CommandIo): Promise<void> {
  refuseTableOptions(target, options)
  if (options.workers > 1 && cluster.isPrimary) return serveByWorkers(target, options, io)
  if (isModule(target)) await serveModule(target, options, io)
  else await serveDatabase(target, options, io)
}

/** Refuses options that only a database takes, if the target is a module. */
function refuseTableOptions(target: string, options: ServeOptions): void {
  if (!isModule(target)) return
  const name = (
    ['schema', 'only', 'except', 'include', 'keys', 'relations', 'publish'] as const
  ).find((option) => option in options)
  if (options.replicas !== undefined) {
    throw usageError(`--replica is for a database; ${target} opens its replicas itself.`)
  }
  if (options.write !== undefined) {
    throw usageError(`--write is for a database; ${target} says itself what clients may write.`)
  }
  if (name === undefined) return
  const option = name === 'keys' ? 'key' : name
  throw usageError(`--${option} is for a database; ${target} says itself what it publishes.`)
}

async function serveByWorkers(target: string, options: ServeOptions, io: CommandIo): Promise<void> {
  if (options.write === 'ask') throw usageError('--write with --workers needs --yes.')
  const words = wordsOf(target, options)
  const code = await supervise({
    count: options.workers,
    drainDelay: options.drainDelay ?? 0,
    fork: (prints) => forkWorker(words, prints),
    stopped: io.stopped,
    out: io.out,
    err: io.err,
    now: Date.now,
    later: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  if (code !== 0) throw reportedFailure(code)
}

/** Returns the complete command line of a worker, so that the worker does not depend on its environment. */
function wordsOf(target: string, options: ServeOptions): string[] {
  const { port, host, workers, drainDelay = 0, replicas = [] } = options
  const { schema, only = [], except = [], include = [], publish = [] } = options
  const { keys = {}, relationsFile } = options
  return [
    ...['serve', `--port=${port}`, `--host=${host}`, `--workers=${workers}`],
    `--drain-delay=${drainDelay}`,
    ...(options.write === undefined ? [] : ['--write', '--yes']),
    ...replicas.map((replica) => `--replica=${replica}`),
    ...(schema === undefined ? [] : [`--schema=${[schema].flat().join(',')}`]),
    ...only.map((table) => `--only=${table}`),
    ...except.map((table) => `--except=${table}`),
    ...include.map((table) => `--include=${table}`),
    ...publish.map((name) => `--publish=${name}`),
    ...(relationsFile === undefined ? [] : [`--relations=${relationsFile}`]),
    ...Object.entries(keys).map(([table, columns]) => `--key=${table}=${columns.join(',')}`),
    ...['--', target],
  ]
}
