/** Runs the model-api command inside the test process, or as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createPeople } from '../auth/people.ts'
import type { TestDatabase } from '../support/databases.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { closeAtEnd } from '../support/registry.ts'

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Returns the output and the exit code of a command; `serve` is stopped as soon as it serves. */
export async function command(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  ask?: (question: string) => Promise<string>,
): Promise<Outcome> {
  let out = ''
  let err = ''
  const code = await run(args, {
    out: (line) => {
      out += `${line}\n`
    },
    err: (line) => {
      err += `${line}\n`
    },
    env,
    stopped: Promise.resolve(),
    ...(ask === undefined ? {} : { ask }),
  })
  return { code, out, err }
}

const cli = fileURLToPath(new URL('../../packages/http-node/src/cli.ts', import.meta.url))

/** The file that `npm start` runs. */
export const demo = fileURLToPath(new URL('../../examples/library/start.ts', import.meta.url))

/** Starts the command as a process; `until` resolves with its output once the pattern occurs in it. */
export function started(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = cli,
): {
  process: ChildProcess
  until(pattern: RegExp): Promise<string>
  /** The complete output, when the process has ended. */
  written(): Promise<string>
  ended: Promise<number | null>
} {
  const child = spawn(process.execPath, [...sourceArguments, program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closeAtEnd(async () => void child.kill('SIGKILL'))
  let written = ''
  let look = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      written += text
      look()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (pattern.test(written)) resolve(written)
      }
      look()
      void ended.then(() => reject(new Error(`ended with:\n${written}`)))
    })
  return { process: child, until, written: () => ended.then(() => written), ended }
}

/** Creates a SQLite file, which is removed at the end. */
export function sqliteFile(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-'))
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'library.db')
  const database = new Sqlite(file)
  database.exec(script)
  database.close()
  return file
}

/** Returns the target on the command line for a database of people and books; for SQLite, a new file. */
export async function peopleTarget(db: TestDatabase): Promise<string> {
  if (db.url !== undefined) {
    await createPeople(db)
    // The rows were inserted with their keys, so the sequences must be advanced.
    if (db.name === 'postgres') {
      await db.execScript('alter table books alter column id restart with 100')
    }
    return db.url
  }
  const file = sqliteFile('')
  const dialect = new SqliteDialect({ database: new Sqlite(file) })
  const kysely = new Kysely<Record<string, never>>({ dialect })
  await createPeople({ ...db, kysely })
  await kysely.destroy()
  return file
}
