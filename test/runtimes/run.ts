/** The entry on every runtime with processes: sends the list through each named driver, and prints the responses in its last line. */
import { createApi } from '@model-api/core'
import type { Kysely } from 'kysely'
import { conformance } from './conformance.ts'
import { config, models, secrets, type Tables } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of the world
type Database = Kysely<any>

/** What an example of docs/reference/databases.md exports. */
interface Example {
  readonly db: Database
  readonly server: Serving
}

/** The server of Bun (`port`, `stop`) or of Deno (`addr`, `shutdown`). */
interface Serving {
  readonly port?: number
  readonly addr?: { readonly port: number }
  stop?(): Promise<void>
  shutdown?(): Promise<void>
}

const example = (name: string): Promise<Example> => import(`./examples/${name}.js`)

/** The number of threads that hash passwords. */
let threads = 0
const workers = process.getBuiltinModule('node:worker_threads')
const { Worker } = workers
workers.Worker = class extends Worker {
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given)
    threads += 1
  }
}

/** `postgres:pg` is the example `pg` on the tables of PostgreSQL, `serve:bun` the server of the example `bun`. */
const answers: Record<string, unknown> = {}
const open: Database[] = []
for (const word of process.argv.slice(2)) {
  const [what = '', name = ''] = word.split(':')
  process.env.DATABASE_URL = process.env[`${what.toUpperCase()}_URL`] ?? ''
  try {
    if (what === 'serve') {
      answers[name] = await served(name, open.at(-1) as Database)
    } else {
      const { db } = await example(name)
      open.push(db)
      answers[name] = await conformance(db, what as Tables)
    }
  } catch (error) {
    answers[name] = { failed: error instanceof Error ? error.stack : String(error) }
  }
}
for (const db of open) await db.destroy()
console.log(JSON.stringify({ answers, threads }))

/** Status and body of a request to the runtime's own server. */
async function served(name: string, db: Database): Promise<readonly [number, string]> {
  // The examples use it without an import.
  Object.assign(globalThis, { api: createApi({ db, models, config, env: secrets }) })
  const { server } = await example(name)
  const response = await fetch(`http://127.0.0.1:${server.port ?? server.addr?.port}/api/tags/1`)
  const answer = [response.status, await response.text()] as const
  await (server.stop?.() ?? server.shutdown?.())
  return answer
}
