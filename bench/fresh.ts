/** What a request costs a process that has just started, beside what it costs once V8 has made the code fast. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { open } from './authority/variants.ts'
import { questions } from './authority/workloads.ts'
import { fill } from './data.ts'
import { type DatabaseName, databaseNames, openScript } from './databases.ts'
import { random } from './random.ts'
import { fixed, median } from './report.ts'
import { openKysely } from './systems/kysely.ts'

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    // The requests of a process are these workloads in turns.
    workloads: { type: 'string', default: 'W1,W2n,W3,W4,W9,W10,W13' },
    processes: { type: 'string', default: '5' },
    // Used by the command itself: the database that this process asks.
    child: { type: 'string' },
  },
})

/** Costs are means of so many requests, which begin after so many others. */
const sample = 700
const starts = [0, 500, 2_000, 20_000] as const

/** Sends one request after the other; prints microseconds of CPU of a request at each of `starts`. */
async function measure(name: DatabaseName): Promise<void> {
  const db = openKysely(name, true)
  const { api } = await open(db, 'plain')
  const next = random(1)
  const chosen = questions.filter((one) => options.workloads.split(',').includes(one.name))
  let sent = 0
  const send = async (count: number): Promise<number> => {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i++) {
      const { method, url, body } = chosen[sent++ % chosen.length]?.api(next) ?? {}
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const { status } = await api.answer({ method, url, headers, body } as never)
      if (status >= 300) throw new Error(`${url}: ${status}`)
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
  const args = [...process.execArgv, file, '--child', name, '--workloads', options.workloads]
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
    // Each process is divided by itself: what else uses the machine changes from one to the next.
    const cells = starts.map((_, i) => {
      const cost = median(runs.map((run) => run[i] ?? Number.NaN))
      const ratio = median(runs.map((run) => (run[i] ?? Number.NaN) / (run.at(-1) ?? Number.NaN)))
      return `${fixed(cost)} (${fixed(ratio, 2)})`
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}

await (options.child === undefined ? compare() : measure(options.child as DatabaseName))
