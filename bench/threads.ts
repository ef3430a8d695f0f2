/** The CPU time of the database's threads that serve one system. It comes from /proc, so the database must run on this machine. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { DatabaseName, Script } from './databases.ts'

/** Returns the microseconds that the database has used so far for open connections; undefined if they cannot be read. */
export type DatabaseCpu = () => Promise<number | undefined>

/** Measures the connections that these processes have opened. */
export function databaseCpu(name: DatabaseName, script: Script, ...pids: number[]): DatabaseCpu {
  if (name === 'sqlite') return async () => undefined
  return async () => cpuOfThreads(await databaseThreads(name, script, ...pids))
}

/** Returns the microseconds that these processes or threads have used so far; undefined if they cannot be read. */
export const cpuOfThreads = (threads: readonly number[]): number | undefined =>
  threads.reduce<number | undefined>((sum, thread) => {
    const used = microseconds(thread)
    return sum === undefined || used === undefined ? undefined : sum + used
  }, 0)

/** Returns the processes or threads of the database that serve the connections of these processes. */
export async function databaseThreads(
  name: DatabaseName,
  script: Script,
  ...pids: number[]
): Promise<readonly number[]> {
  if (name === 'sqlite') return []
  const ports = new Set(pids.flatMap((pid) => [...portsOf(pid)]))
  return name === 'postgres' ? backends(script, ports) : tids(script, ports)
}

async function backends(script: Script, ports: ReadonlySet<number>): Promise<number[]> {
  const rows = await script.read(
    'select pid, client_port from pg_stat_activity where datname = current_database()',
  )
  return rows.filter((row) => ports.has(Number(row.client_port))).map((row) => Number(row.pid))
}

/** Returns the threads; MariaDB lists the thread of each connection. */
async function tids(script: Script, ports: ReadonlySet<number>): Promise<number[]> {
  const rows = await script
    .read('select host, tid from information_schema.processlist')
    .catch(() => [])
  return rows
    .filter((row) => ports.has(Number(String(row.host).split(':').at(-1))))
    .map((row) => Number(row.tid))
}

/** Returns the local ports of a process's connections. */
function portsOf(pid: number): ReadonlySet<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[([0-9]+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return []
      }
    }),
  )
  return new Set(
    ['tcp', 'tcp6'].flatMap((kind) =>
      readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((parts) => inodes.has(parts[9] ?? ''))
        .map((parts) => Number.parseInt(parts[1]?.split(':').at(-1) ?? '', 16)),
    ),
  )
}

function microseconds(thread: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    return undefined
  }
}
