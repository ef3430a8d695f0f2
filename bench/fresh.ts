/** Compares the cost of a request in a process that has just started with its cost after V8 has optimised the code. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { open } from './authority/variants.ts'
import { type Question, questions } from './authority/workloads.ts'
import { fill } from './data.ts'
import { type DatabaseName, databaseNames, openScript } from './databases.ts'
import { random } from './random.ts'
import { fixed, median } from './report.ts'
import { envelope, handlersOf } from './systems/by-hand.ts'
import { openKysely } from './systems/kysely.ts'
import type { Next, Workload } from './workloads.ts'

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    // The workloads whose requests a process sends in turns.
    workloads: { type: 'string' },
    // `model-api`, or `by-hand`: the handlers of `hand-koa` without the framework, over the same drivers.
    system: { type: 'string', default: 'model-api' },
    processes: { type: 'string', default: '5' },
    // Internal: the database that this child process measures.
    child: { type: 'string' },
  },
})

// There is no handler by hand for W13.
const workloads =
  options.workloads ?? `W1,W2n,W3,W4,W9,W10${options.system === 'by-hand' ? '' : ',W13'}`

/** A cost is the mean of `sample` requests, which begin after each number of requests in `starts`. */
const sample = 700
const starts = [0, 500, 2_000, 20_000] as const

/** Sends one request of a workload, and checks its status. */
type Send = (question: Question, next: Next) => Promise<void>

async function modelApi(db: ReturnType<typeof openKysely>): Promise<Send> {
  const { api } = await open(db, 'plain')
  return async (question, next) => {
    const { method, url, body } = question.api(next)
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const { status } = await api.answer({ method, url, headers, body } as never)
    if (status >= 300) throw new Error(`${url}: ${status}`)
  }
}

function byHand(db: ReturnType<typeof openKysely>, name: DatabaseName): Send {
  const handlers = handlersOf(db, name)
  return async (question, next) => {
    const started = performance.now()
    const { url, body } = (question as Workload).own(next)
    const [, workload = '', ...args] = url.split('/')
    const page = await handlers[workload]?.(args.map(Number), undefined, JSON.parse(body ?? 'null'))
    if (page?.value === undefined) throw new Error(`${url}: no record`)
    JSON.stringify(envelope(page, started))
  }
}

/** Sends one request after the other. Prints the microseconds of CPU per request at each of `starts`. */
async function measure(name: DatabaseName): Promise<void> {
  const db = openKysely(name, true)
  const ask = options.system === 'by-hand' ? byHand(db, name) : await modelApi(db)
  const next = random(1)
  const chosen = questions.filter((one) => workloads.split(',').includes(one.name))
  let sent = 0
  const send = async (count: number): Promise<number> => {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i++) {
      await ask(chosen[sent++ % chosen.length] as Question, next)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  }
  const costs: number[] = []
  for (const start of starts) {
    if (start > sent) await send(start - sent)
    costs.push(await send(start === 0 ? starts[1] : sample))
  }
  await db.destroy()
  console.log(JSON.stringify(costs))
}

function inProcess(name: DatabaseName): readonly number[] {
  const file = fileURLToPath(import.meta.url)
  const own = ['--child', name, '--workloads', workloads, '--system', options.system]
  const args = [...process.execArgv, file, ...own]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

async function compare(): Promise<void> {
  console.log('| µs of CPU of a request | first 500 | after 500 | after 2,000 | after 20,000 |')
  console.log('|---|---:|---:|---:|---:|')
  for (const name of databaseNames) {
    if (!options.databases.split(',').includes(name)) continue
    const script = await openScript(name)
    await fill(name, script, false)
    await script.end()
    const runs = Array.from({ length: Number(options.processes) }, () => inProcess(name))
    // Divides the costs of each process by its own last cost, because other load on the machine changes between processes.
    const cells = starts.map((_, i) => {
      const cost = median(runs.map((run) => run[i] ?? Number.NaN))
      const ratio = median(runs.map((run) => (run[i] ?? Number.NaN) / (run.at(-1) ?? Number.NaN)))
      return `${fixed(cost)} (${fixed(ratio, 2)})`
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}

await (options.child === undefined ? compare() : measure(options.child as DatabaseName))
