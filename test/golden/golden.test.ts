/** Runs every golden file through the pipeline on all databases: request → AST → plan → SQL → one response. */
import { type AnyModel, type Api, ApiError, createApi } from '@model-api/core'
import {
  buildRouteTable,
  type ListPlan,
  matchRoute,
  parseQuery,
  planList,
  planOne,
  planRelated,
  type QueryAst,
  type ReadPlan,
} from '@model-api/core/internals'
import { type Answer, frozenClock, send } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import {
  type ActualSections,
  compareGolden,
  type GoldenFile,
  goldenFiles,
} from '../support/golden.ts'
import { printAst, printPlan } from '../support/plan-text.ts'
import { printValue } from '../support/print-value.ts'
import type { Engine } from '../support/servers.ts'
import { createShop, shop } from '../support/shop.ts'
import { printStatements, type Statement } from '../support/statements.ts'
import { notRun, suite } from '../support/suite.ts'

const databases = everyDatabase()
/** A run may have only one of them. */
const kinds = ['sqlite', 'postgres', 'mysql'] as const
const present = databases.filter((db) => db.missing === undefined)
for (const { label, missing } of databases) {
  if (missing !== undefined) notRun(`golden files on ${label}`, missing)
}

suite('golden files', (test) => {
  test.before(async () => {
    for (const db of present) await createShop(db)
  })
  test.after(async () => {
    for (const db of present) await db.close()
  })
  for (const file of goldenFiles()) test(`${file.name}: ${file.intro}`, () => check(file))
})

async function check(file: GoldenFile): Promise<void> {
  const setup = readConfig(file.sections.config ?? '')
  const request = readRequest(file.sections.request ?? '')
  const runs: Run[] = []
  for (const db of present) runs.push(await runOn(db, setup, request))
  const [first, ...others] = runs
  if (first === undefined) throw new Error('no database is here')
  for (const { db, answer } of others) {
    equal(printAnswer(answer), printAnswer(first.answer), `${db.label} answers otherwise`)
  }
  const sql: Partial<Record<Engine, string>> = {}
  for (const { db, statements } of runs) {
    const printed = printStatements(statements.map(unlimited))
    equal(printed, sql[db.engine] ?? printed, `${db.label} is sent other statements`)
    sql[db.engine] = printed
  }
  // Also before an update, which would otherwise record the success.
  if (file.name.startsWith('errors/') && first.answer.status < 400) {
    throw new Error(
      `${file.name} answers ${first.answer.status}, but the files of errors/ show errors: mend its request, or enable what it needs by lines "API_KEY: <JSON>" in a section "### config".`,
    )
  }
  compareGolden(file, {
    ...first.stages,
    ...sql,
    // One section for all kinds of databases.
    statements: kinds.every((kind) => runs.some(({ db }) => db.name === kind))
      ? countText(runs)
      : undefined,
    response: printAnswer(first.answer),
  } satisfies ActualSections)
}

interface Run {
  readonly db: TestDatabase
  readonly stages: Pick<ActualSections, 'ast' | 'plan'>
  readonly answer: Answer
  readonly statements: readonly Statement[]
}

/** Removes the time limit with which every read of MariaDB and MySQL begins, because a hundred files need not repeat it. */
const unlimited = ({ sql, parameters }: Statement): Statement => ({
  sql: sql
    .replace(
      /^set statement (?:max_statement_time = 5)?(?:, )?(?:max_sort_length = 65536, sort_buffer_size = 8388608)?(?:, )?(?:optimizer_switch = 'subquery_cache=off')? for /,
      '',
    )
    .replace(
      /^select \/\*\+ (?:max_execution_time\(5000\))?(?: ?set_var\([a-z_]+ = \d+\))* \*\/ /,
      'select ',
    ),
  parameters,
})

/** With one connection, statements that run concurrently are always sent in the same order. */
function runOn(db: TestDatabase, setup: Setup, request: Request): Promise<Run> {
  return db.kysely.connection().execute(async (connection) => {
    const { models, config } = setup
    const api = createApi({ db: connection, models, config, clock: frozenClock() })
    await api.ready
    const stages = stagesOf(api, setup, request)
    const { method, url, headers } = request
    const { result, statements } = await db.capture(() => send(api, method, url, { headers }))
    return { db, stages, answer: result, statements }
  })
}

const countText = (runs: readonly Run[]): string => {
  const counts = runs.map(({ statements }) => statements.length)
  const [count] = counts
  if (counts.every((other) => other === count)) return String(count)
  const lines = runs.map(({ db, statements }) => `${db.name} ${statements.length}`)
  return [...new Set(lines)].join(', ')
}

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
}

/** `GET /api/books?…`, then lines `name: value` for headers. */
function readRequest(text: string): Request {
  const [line = '', ...headers] = text.split('\n')
  const [method = '', url = ''] = line.split(' ')
  const pairs = headers.map((header) => header.split(': ', 2) as [string, string])
  return { method, url, headers: Object.fromEntries(pairs) }
}

interface Setup {
  readonly models: readonly AnyModel[]
  readonly config: Record<string, unknown>
}

/** Lines `API_KEY: <JSON>` for the configuration, `Model.key: <JSON>` for the meta of one model. */
function readConfig(text: string): Setup {
  // Without HTML pages, responses have no `Vary: Accept`.
  const config: Record<string, unknown> = { API_HTML_PAGES: false }
  const meta = new Map<string, Record<string, unknown>>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, model, key = '', value = ''] = /^(?:(\w+)\.)?(\w+): (.*)$/.exec(line) ?? []
    if (model === undefined) config[key] = JSON.parse(value)
    else meta.set(model, { ...meta.get(model), [key]: JSON.parse(value) })
  }
  const models = shop.map((model) => {
    const own = meta.get(model.name)
    return own === undefined ? model : { ...model, meta: { ...model.meta, ...own } }
  })
  return { models, config }
}

/** The AST and the plan of the request; the message if it is refused. */
function stagesOf(api: Api, { config }: Setup, { url }: Request): Run['stages'] {
  const [path = '', query = ''] = splitOnce(url)
  const prefix = String(config.API_PREFIX ?? '/api')
  const limit = { setting: 'API_MAX_LIST', value: 1000 }
  const ast = refusable(() =>
    parseQuery(query, {
      limits: { conditions: limit, relationFilters: limit, aggregates: limit, list: limit },
    }),
  )
  if (typeof ast === 'string') return { ast, plan: ast }
  const plan = refusable(() => planOf(api, prefix, path, ast))
  return { ast: printAst({ ...ast }), plan: typeof plan === 'string' ? plan : printPlan(plan) }
}

type Planned = ReadPlan | ListPlan | string

function planOf(api: Api, prefix: string, path: string, ast: QueryAst): Planned {
  const route = matchRoute(buildRouteTable(api.registry, prefix), path)
  const reach = () => true
  switch (route?.kind) {
    case 'collection':
      return planList(route.resource, ast, reach)
    case 'item':
      return planOne(route.resource, ast, route.key, reach)
    case 'related':
      return planRelated(route.relation, ast, reach)
    default:
      return 'no endpoint'
  }
}

function refusable<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof ApiError) return `refused: ${error.message}`
    throw error
  }
}

function splitOnce(url: string): readonly string[] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url] : [url.slice(0, mark), url.slice(mark + 1)]
}

const unremarkable = ['content-type', 'x-request-id', 'x-content-type-options']

/** Status, selected headers, and body. */
function printAnswer({ status, headers, body }: Answer): string {
  const lines = Object.entries(headers).filter(([name]) => !unremarkable.includes(name))
  const head = [String(status), ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n')
  return body === undefined ? head : `${head}\n\n${printValue(body)}`
}
