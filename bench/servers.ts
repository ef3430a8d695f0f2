/** Starts measured servers, each in a separate process, and requests their reports. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Ask, AskedAs, Form, Next } from './ask.ts'
import type { DatabaseName, Script } from './databases.ts'
import type { Listening, Used } from './server.ts'
import { type DatabaseCpu, databaseCpu, databaseThreads } from './threads.ts'

export interface Server {
  readonly name: string
  readonly asks: AskedAs
  readonly port: number
  /** Cursors from responses of this server, for workloads that send a cursor. */
  readonly cursors: readonly string[]
  /** The headers that each of its users sends; empty for a server without users. */
  readonly users: readonly Readonly<Record<string, string>>[]
  readonly used: () => Promise<Used>
  readonly database: DatabaseCpu
  /** The processes of the server. */
  readonly pids: readonly number[]
  readonly threads: () => Promise<readonly number[]>
  /** Ends the server; resolves when it has ended. */
  stop(): Promise<void>
}

export interface Start {
  readonly name: string
  readonly asks: AskedAs
  readonly database: DatabaseName
  readonly script: Script
  /** The file and the arguments of the process. Default: `server.ts` with the name of the system. */
  readonly file?: string
  readonly args?: readonly string[]
  readonly flags?: readonly string[]
  readonly users?: Server['users']
}

export const here: string = fileURLToPath(new URL('.', import.meta.url))

/** Starts a server. Resolves when it listens; rejects if it ends before. */
export async function start(given: Start): Promise<Server> {
  const { name, asks, database, script, file = `${here}server.ts`, flags = [] } = given
  const child = fork(file, [...(given.args ?? [name]), database], {
    execArgv: [...process.execArgv, ...flags],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  const told = async <T>(): Promise<T> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error(`${name} ended`))),
    ])
    return message
  }
  const { port, pids = [child.pid ?? 0] } = await told<Listening>()
  return {
    name,
    asks,
    port,
    cursors: [],
    users: given.users ?? [],
    database: databaseCpu(database, script, ...pids),
    pids,
    threads: () => databaseThreads(database, script, ...pids),
    used: async () => {
      child.send('used')
      return told<Used>()
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Makes a request, with the headers of one of the server's users if it has any. */
export function asked(
  { cursors, users }: Pick<Server, 'cursors' | 'users'>,
  form: Form,
  next: Next,
): Ask {
  const ask = form(next, cursors)
  const headers = users[next(Math.max(users.length, 1))]
  return headers === undefined ? ask : { ...ask, headers }
}
