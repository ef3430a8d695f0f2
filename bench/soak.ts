/** A soak test: sends mixed load to node:http over PostgreSQL for minutes. Prints the memory meanwhile, and whether it grows. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hashPassword } from '@model-api/core'
import type { Next } from './ask.ts'
import { type Connection, open } from './client.ts'
import { fill, sizes } from './data.ts'
import { locationOf, openScript, type Script } from './databases.ts'
import { random } from './random.ts'
import { account, draw, type Kind, kinds } from './soak-load.ts'
import type { Memory } from './soak-server.ts'
import { mib, type Sample, verdictOn } from './soak-verdict.ts'

const help = `npx --yes pnpm@12.21.0 bench:soak [options]

  --minutes M       how long (default 10)
  --rate N          requests a second, all connections together; 0: as many as there can be (default 200)
  --connections N   requests at a time, at most (default 8)
  --every S         seconds between samples (default 30)`

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    connections: { type: 'string', default: '8' },
    every: { type: 'string', default: '30' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** A separate database, so that the data of other measurements stay unchanged. */
const database = 'model_api_soak'

if (options.help) console.log(help)
else process.exitCode = await main()

/** Returns the exit code: 1 if memory grows or responses were wrong. */
async function main(): Promise<number> {
  const script = await openScript('postgres', database)
  console.error('filling …')
  await fill('postgres', script, false)
  await createUsers(script)
  const child = fork(
    fileURLToPath(new URL('soak-server.ts', import.meta.url)),
    [locationOf('postgres', database)],
    {
      execArgv: ['--conditions=@model-api/source', '--expose-gc'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  try {
    const [{ port }] = await once(child, 'message')
    return await soak(port, child)
  } finally {
    child.disconnect()
    await once(child, 'exit')
    await removeTraces(script)
    await script.end()
  }
}

interface Run {
  readonly port: number
  /** On the clock of `performance.now()`. */
  readonly started: number
  readonly ends: number
  /** The number of requests that were sent, without follow-up requests. */
  turns: number
  readonly answers: Map<string, number>
  wrong: number
  /** The first wrong responses. */
  readonly examples: string[]
}

async function soak(port: number, child: ChildProcess): Promise<number> {
  const started = performance.now()
  const ends = started + Number(options.minutes) * 60_000
  const run: Run = { port, started, ends, turns: 0, answers: new Map(), wrong: 0, examples: [] }
  const connections = Array.from({ length: Number(options.connections) }, (_, i) =>
    connection(run, random(i + 1)),
  )
  const [samples] = await Promise.all([watch(run, child), ...connections])
  const requests = [...run.answers.values()].reduce((sum, count) => sum + count, 0)
  console.log(
    `\n${requests} requests, ${(requests / ((ends - started) / 1000)).toFixed(0)} a second`,
  )
  for (const { name } of kinds) console.log(`  ${name}: ${run.answers.get(name) ?? 0}`)
  for (const example of run.examples) console.log(`  WRONG ${example}`)
  const { grows, line } = verdictOn(samples)
  console.log(`\n${run.wrong} wrong answers\n${line}`)
  return grows || run.wrong > 0 ? 1 : 0
}

/** Runs one connection until the time is over: draws requests, sends them, and checks the statuses. */
async function connection(run: Run, next: Next): Promise<void> {
  const rate = Number(options.rate)
  const line = await open(run.port)
  while (performance.now() < run.ends) {
    const turn = run.turns++
    const due = rate === 0 ? 0 : run.started + (turn * 1000) / rate
    if (due > run.ends) break
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    await ask(run, line, draw(next), next)
  }
  line.close()
}

async function ask(run: Run, line: Connection, kind: Kind, next: Next): Promise<void> {
  for (let asked = kind.ask(next), step = 0; ; step++) {
    const answer = await line.send(asked)
    run.answers.set(kind.name, (run.answers.get(kind.name) ?? 0) + 1)
    if (!kind.statuses.includes(answer.status)) {
      const { method, url } = asked
      const body = answer.body.toString().slice(0, 300)
      wrong(run, `${kind.name}: ${answer.status} to ${method} ${url}: ${body}`)
      return
    }
    const follows = step === 0 ? kind.follow?.(answer) : undefined
    if (follows === undefined) return
    asked = follows
  }
}

function wrong(run: Run, text: string): void {
  run.wrong += 1
  if (run.examples.length < 10) run.examples.push(text)
}

/** Prints a line at intervals until the time is over. */
async function watch(run: Run, child: ChildProcess): Promise<Sample[]> {
  const samples: Sample[] = []
  const reported = new Set<string>()
  console.log('minute  requests  heap, external and RSS in MiB, after a collection')
  const every = Number(options.every) * 1000
  for (let due = run.started; due <= run.ends + 1; due += every) {
    await sleep(Math.max(0, due - performance.now()))
    child.send('memory')
    const [memory] = (await once(child, 'message')) as [Memory]
    const { heap, external, rss } = memory
    samples.push({ at: (due - run.started) / (run.ends - run.started), heap, rss })
    const minute = ((due - run.started) / 60_000).toFixed(1).padStart(6)
    console.log(
      [minute, String(run.turns).padStart(8), ...[heap, external, rss].map(mib)].join('  '),
    )
    for (const error of memory.errors) {
      if (!reported.has(error)) wrong(run, `reported: ${error}`)
      reported.add(error)
    }
  }
  return samples
}

async function createUsers(script: Script): Promise<void> {
  await removeTraces(script)
  // A low cost factor, because the cost of hashing is not measured here.
  const hash = await hashPassword(account.password, 4)
  await script.run(
    'create table soak_users (id integer generated by default as identity primary key, name varchar(80) not null unique, password_hash varchar(80) not null)',
  )
  await script.run(
    `insert into soak_users (name, password_hash) values ('${account.username}', '${hash}')`,
  )
}

async function removeTraces(script: Script): Promise<void> {
  for (const table of ['soak_users', 'refresh_tokens']) {
    await script.run(`drop table if exists ${table}`)
  }
  await script.run(`delete from reviews where id > ${sizes.reviews}`)
}
