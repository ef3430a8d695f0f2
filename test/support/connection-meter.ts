/** Measures what the database takes for the connections of one test, which shares its server with others. */
import { readFileSync } from 'node:fs'
import { type RawBuilder, sql } from 'kysely'
import type { TestDatabase } from './databases.ts'
import { cpuMilliseconds } from './growth.ts'

export interface ConnectionMeter {
  /** Milliseconds that the database has worked for the connections of this test, or this process where it is the database. */
  cpu(): Promise<number>
  /** The most memory that one of these connections has had, in megabytes; 0 where the system does not tell. */
  memory(): Promise<number>
  /** A smaller difference of CPU time is noise, in milliseconds. */
  readonly floor: number
}

/** Milliseconds in a clock tick, the kernel's unit for the time of processes. */
const msPerTick = 10

/** Reads a file of `/proc`; the empty text if the server runs on another machine or system. */
function procFile(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** The CPU time of a process or thread. */
function cpuOf(statPath: string): number {
  const fields = procFile(statPath).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * msPerTick
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

/** Returns the meter of a database's connections; it reads `/proc` of Linux, where the server runs on the same machine. */
export function connectionMeter(db: TestDatabase): ConnectionMeter {
  const connections = async (query: RawBuilder<{ id: unknown; memory: unknown }>) =>
    (await query.execute(db.kysely)).rows
  switch (db.engine) {
    case 'sqlite':
      return { cpu: async () => cpuMilliseconds(), memory: async () => 0, floor: 2 }
    case 'postgres': {
      const backends = () =>
        connections(
          sql`select pid as id, 0 as memory from pg_stat_activity where datname = current_database()`,
        )
      return {
        floor: 3 * msPerTick,
        cpu: async () => total((await backends()).map(({ id }) => cpuOf(`${id}/stat`))),
        memory: async () =>
          Math.max(
            ...(await backends()).map(({ id }) => {
              const [, kilobytes = 0] = /RssAnon:\s+([0-9]+)/.exec(procFile(`${id}/status`)) ?? []
              return Number(kilobytes) / 1024
            }),
          ),
      }
    }
    default: {
      const threads = () =>
        connections(
          db.engine === 'mariadb'
            ? sql`select tid as id, max_memory_used as memory from information_schema.processlist where db = database()`
            : sql`select thread_os_id as id, max_total_memory as memory from performance_schema.threads where processlist_db = database()`,
        )
      return {
        floor: 3 * msPerTick,
        cpu: async () => total((await threads()).map(({ id }) => cpuOf(`${id}/task/${id}/stat`))),
        memory: async () =>
          Math.max(...(await threads()).map(({ memory }) => Number(memory) / 2 ** 20)),
      }
    }
  }
}
