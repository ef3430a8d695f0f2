/** The conformance list on every runtime, driver and version of Kysely in docs/reference/databases.md, which shows how to open each driver. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { equal, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'
import { type Answers, conformance } from './conformance.ts'
import { notInstalled, program } from './packages.ts'
import { makeProject, type Project } from './project.ts'
import { type Declarations, declarationsOfCore, typeErrors } from './types.ts'
import { startWorker } from './workerd.ts'

const run = promisify(execFile)
const recorded = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

interface Run {
  readonly runtime: string
  /** The name of the installed package that it uses as Kysely. */
  readonly kysely: string
  /** Sections of docs/reference/databases.md, by the tables that they need; `serve` for the server of the runtime. */
  readonly drivers: readonly string[]
}

const servers = ['postgres:pg', 'mysql:mysql2'] as const
const nodeDrivers = [...servers, 'sqlite:better-sqlite3', 'sqlite:node-sqlite'] as const
const runs: readonly Run[] = [
  { runtime: 'bun', kysely: 'kysely', drivers: [...servers, 'sqlite:bun-sqlite', 'serve:bun'] },
  {
    runtime: 'deno',
    kysely: 'kysely',
    drivers: ['postgres:pg-on-deno', 'mysql:mysql2', 'sqlite:node-sqlite', 'serve:deno'],
  },
  { runtime: 'node20', kysely: 'kysely-28', drivers: [...servers, 'sqlite:libsql'] },
  { runtime: 'node22', kysely: 'kysely', drivers: nodeDrivers },
  {
    runtime: 'node24',
    kysely: 'kysely',
    drivers: [...nodeDrivers, 'postgres:postgres-js', 'postgres:pglite', 'sqlite:libsql'],
  },
  { runtime: 'node26', kysely: 'kysely', drivers: nodeDrivers },
  { runtime: 'node24', kysely: 'kysely-oldest', drivers: nodeDrivers },
  { runtime: 'node24', kysely: 'kysely-28', drivers: nodeDrivers },
  { runtime: 'node24', kysely: 'kysely-30', drivers: nodeDrivers },
]

/** The result of a driver that could not be opened. */
interface Failed {
  readonly failed: string
}

runsOn('one server of each kind')

/** The output of `run.ts`: the responses by driver. */
interface Printed {
  readonly answers: Readonly<Record<string, Answers | Failed>>
  readonly threads: number
}

const missing = notInstalled()
const how = 'npx --yes pnpm@12.21.0 run runtimes installs them, about 1.4 GB'
if (missing !== undefined) notRun('runtimes/', `${missing}; ${how}`)
else declare()

function declare(): void {
  const databases = everyDatabase()
  const serverUrls = databases.filter(({ name }) => name !== 'sqlite')
  const absent = serverUrls.filter((db) => db.missing !== undefined).map(({ name }) => name)
  for (const name of absent) notRun(`runtimes/ with ${name}`, `there is no ${name}`)

  suite('runtimes and drivers', (test) => {
    const projects = new Map<string, Project>()
    const projectOf = (kysely: string): Project => {
      const project = projects.get(kysely) ?? makeProject(kysely)
      projects.set(kysely, project)
      return project
    }
    const answers = recorded('answers.txt')
    /** The documents by kind of tables, because each kind of database has its own formats. */
    const documents = new Map<string, string>()

    test.before(async () => {
      for (const db of databases) {
        if (db.missing !== undefined) continue
        const made = await conformance(db.kysely, db.name)
        documents.set(db.name, made.documents.join('\n'))
      }
    })
    test.after(async () => {
      for (const project of projects.values()) project.remove()
      for (const db of databases) await db.close()
    })

    const sameAnswers = (
      driver: string,
      tables: string,
      result: Answers | Failed | undefined,
    ): void => {
      if (result === undefined || 'failed' in result)
        throw new Error(`${driver}: ${result?.failed}`)
      equal(result.text, answers, driver)
      equal(result.errors, [], driver)
      ok(result.documents.join('\n') === documents.get(tables), `the documents differ: ${driver}`)
    }

    for (const { runtime, kysely, drivers } of runs) {
      const there = drivers.filter((driver) => !absent.some((name) => driver.startsWith(name)))
      test(`${runtime}, ${kysely}: ${there.join(', ')}`, async () => {
        const { folder } = projectOf(kysely)
        const urls = serverUrls.map(({ name, url }) => [`${name.toUpperCase()}_URL`, url])
        const { PATH, HOME, TMPDIR } = process.env
        const { stdout } = await run(program(runtime), [...optionsOf(runtime), ...there], {
          cwd: folder,
          env: {
            ...Object.fromEntries(urls),
            ...{ PATH, HOME, TMPDIR, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: `${folder}/deno` },
            // Free ports for the servers of the examples.
            ...{ BUN_PORT: '0', DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0' },
          },
          maxBuffer: 64 << 20,
        })
        const printed = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed
        const results = printed.answers
        for (const driver of there) {
          const [what = '', name = ''] = driver.split(':')
          if (what !== 'serve') sameAnswers(driver, what, results[name])
          else equal(results[name], servedAnswer(answers))
        }
        ok(printed.threads > 0, 'passwords are not computed on threads')
      })
    }

    for (const flags of [[], ['nodejs_compat']]) {
      const title = ['workerd, kysely: D1, whose driver has no transactions', ...flags].join(', ')
      test(title, async () => {
        const worker = await startWorker(projectOf('kysely').folder, flags)
        try {
          const result = (await (await worker.fetch('/conformance')).json()) as Answers | Failed
          if ('failed' in result) throw new Error(result.failed)
          equal(result.text, recorded('answers-without-transactions.txt'))
          ok(result.documents.join('\n') === documents.get('sqlite'), 'the documents differ')
          // The API of the example: its first requests are concurrent and share the look-ups of its database.
          const paths = ['/api/books?fields=id', '/api/authors', '/api/books?limit=2', '/api/tags']
          const statuses = await Promise.all(
            [...paths, ...paths].map(async (path) => (await worker.fetch(path)).status),
          )
          equal(
            statuses,
            statuses.map(() => 200),
          )
        } finally {
          await worker.stop()
        }
      })
    }

    let declarations: Declarations | undefined
    test.after(() => declarations?.remove())
    for (const kysely of ['kysely-oldest', 'kysely-28', 'kysely', 'kysely-30']) {
      test(`the declarations of the core, and what test/types makes of them, compile with ${kysely}`, () => {
        declarations ??= declarationsOfCore()
        // It cannot assign a Kysely of all tables to one of some.
        const without = kysely === 'kysely-oldest' ? ['some-tables.ts'] : []
        equal(typeErrors(projectOf(kysely).folder, declarations, without), '')
      })
    }
  })
}

/** The response to `GET /api/tags/1`. */
const servedAnswer = (answers: string): readonly [number, string] => [
  200,
  /^GET \/api\/tags\/1\n.*\n(.*)$/m.exec(answers)?.[1] ?? '',
]

function optionsOf(runtime: string): readonly string[] {
  if (runtime !== 'deno') return ['run.js']
  const allowed = ['--allow-net', '--allow-env', '--allow-read', '--allow-write', '--no-prompt']
  return ['run', ...allowed, '--node-modules-dir=manual', 'run.js']
}
