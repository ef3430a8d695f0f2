/** Two processes that log in and refresh tokens on the database of a test (refresh-worker.ts). */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, SqliteDialect } from 'kysely'
import type { TestDatabase } from '../support/databases.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { createPeople } from './people.ts'

/** Runs `work` with two processes; `grace` is their API_JWT_REFRESH_GRACE, and `keys` say by which of their keys each signs. */
export async function withWorkers(
  db: TestDatabase,
  grace: number,
  work: (workers: readonly Worker[]) => Promise<void>,
  keys: readonly ('current' | 'next')[] = ['current', 'current'],
): Promise<void> {
  const shared = db.name === 'sqlite' ? await peopleInAFile(db) : { url: db.url ?? '', end() {} }
  const workers = keys.map((own) => worker(db.name, shared.url, grace, own))
  try {
    await work(workers)
  } finally {
    for (const each of workers) each.end()
    shared.end()
  }
}

/** Processes can share SQLite only through a file. */
async function peopleInAFile(db: TestDatabase): Promise<{ url: string; end(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-refresh-'))
  const url = join(folder, 'people.db')
  const { default: Sqlite } = await import('better-sqlite3')
  const kysely = new Kysely<Record<string, never>>({
    dialect: new SqliteDialect({ database: new Sqlite(url) }),
  })
  await createPeople({ ...db, kysely })
  await kysely.destroy()
  return { url, end: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Worker {
  ask(message: object): Promise<(string | number)[]>
  end(): void
}

function worker(name: string, url: string, grace: number, keys: string): Worker {
  const path = fileURLToPath(new URL('./refresh-worker.ts', import.meta.url))
  const child = fork(path, [name, url, String(grace), keys], { execArgv: [...sourceArguments] })
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        const ended = (): void => reject(new Error('the worker ended'))
        child.once('exit', ended)
        child.once('message', (answer) => {
          child.off('exit', ended)
          resolve(answer as (string | number)[])
        })
        child.send(message)
      }),
    end: () => child.disconnect(),
  }
}
