/**
 * Profiles one system under one workload, in a separate server. Writes the CPU profile to a file, and the busiest functions and
 * folders as text.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { load } from './client.ts'
import { type Busy, busyBetween, type Share } from './cpu-profile.ts'
import { cursorsOf } from './cursors.ts'
import { random } from './random.ts'
import { fixed } from './report.ts'
import { asked, type Start, start } from './servers.ts'
import type { Workload } from './workloads.ts'

export interface ProfileOptions {
  readonly folder: string
  readonly seconds: number
  readonly connections: number
}

const shown = 15

/** The flags of Node for a profile of the whole process, which is written when it ends. */
export const profileFlags = (folder: string, name: string): string[] => [
  '--cpu-prof',
  '--cpu-prof-interval=500',
  `--cpu-prof-dir=${folder}`,
  `--cpu-prof-name=${name}`,
]

/** Returns two tables; undefined if the system has no form for the workload. */
export async function profile(
  given: Start,
  workload: Workload,
  { folder, seconds, connections }: ProfileOptions,
): Promise<string | undefined> {
  const form = workload[given.asks]
  if (form === undefined) return undefined
  mkdirSync(folder, { recursive: true })
  const name = `${given.database}-${given.name}-${workload.name}.cpuprofile`
  const server = await start({ ...given, flags: profileFlags(folder, name) })
  try {
    const cursors = workload.name === 'W12' ? await cursorsOf(server) : []
    const next = random(1)
    const ask = () => asked({ ...server, cursors }, form, next)
    const options = { port: server.port, connections, ask }
    // Warms up, because code and plans that are made once are not part of the cost of a request.
    await load({ ...options, seconds: Math.min(1, seconds) })
    const { at: from = 0, cpu: before } = await server.used()
    const { requests, failure } = await load({ ...options, seconds })
    if (failure !== undefined) throw new Error(`${given.name} ${workload.name}: ${failure}`)
    const { at: to = 0, cpu: after } = await server.used()
    await server.stop()
    const busy = busyBetween(join(folder, name), from, to)
    const title = `## ${given.database} ${given.name} ${workload.name} ${workload.title}`
    const said = `${fixed(requests)} requests; by the clock ${fixed(busy.all / requests)} µs of the main thread per request, by the CPU ${fixed((after - before) / requests)} µs of all threads, profiling included; ${name}`
    return `${title}\n\n${said}\n\n${busyTables(busy, requests)}`
  } finally {
    await server.stop()
  }
}

/** The busiest functions and folders, per request. */
export function busyTables(busy: Busy, requests: number): string {
  return [
    shares('function, itself', busy.functions.slice(0, shown), busy.all, requests),
    shares('folder, with what is built in', busy.folders, busy.all, requests),
  ].join('\n')
}

function shares(title: string, list: readonly Share[], all: number, requests: number): string {
  const lines = list.map(
    ({ name, microseconds }) =>
      `| ${fixed(microseconds / requests, 1)} | ${fixed((100 * microseconds) / all, 1)} | ${name} |`,
  )
  return `| µs per request | % | ${title} |\n|---:|---:|---|\n${lines.join('\n')}\n`
}
