/** Starts measured servers, each in a process of its own, and asks them what they used. */
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
  /** Given out by this server; for workloads that ask with one. */
  readonly cursors: readonly string[]
  /** What its users send, a header for each; none where requests are nobody's. */
  readonly users: readonly Readonly<Record<string, string>>[]
  readonly used: () => Promise<Used>
  readonly database: DatabaseCpu
  /** Its processes, and the threads of the database that serve them now. */
  readonly pids: readonly number[]
  readonly threads: () => Promise<readonly number[]>
  /** Ends it, and waits until it has ended. */
  stop(): Promise<void>
}

export interface Start {
  readonly name: string
  readonly asks: AskedAs
  readonly database: DatabaseName
  readonly script: Script
  /** What the process runs, and with what; default: the system of that name. */
  readonly file?: string
  readonly args?: readonly string[]
  readonly flags?: readonly string[]
  readonly users?: Server['users']
}

export const here: string = fileURLToPath(new URL('.', import.meta.url))

/** Answers when the server listens; a server that ends instead is an error. */
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

/** A request as one of the users of a server sends it, or as nobody does. */
export function asked(
  { cursors, users }: Pick<Server, 'cursors' | 'users'>,
  form: Form,
  next: Next,
): Ask {
  const ask = form(next, cursors)
  const headers = users[next(Math.max(users.length, 1))]
  return headers === undefined ? ask : { ...ask, headers }
}
