/**
 * Measures how the cost of a request grows with the table: the same requests at several sizes, compared with the same statements by
 * hand.
 */
import { parseArgs } from 'node:util'
import { dropDatabase } from '../databases.ts'
import { fixed } from '../report.ts'
import { bulkInTurns, recordsOfList } from './bulk.ts'
import { databaseOf, type RowsDatabase, rowsDatabases } from './data.ts'
import { type Costs, inTurns, requireSameRows } from './measure.ts'
import { open, type Place } from './place.ts'
import { plansOf } from './plans.ts'
import { questions } from './questions.ts'
import { report } from './report.ts'

const help = `npx --yes pnpm@12.21.0 bench:rows [options]

  --databases a,b   ${rowsDatabases.join(', ')} (default: both)
  --rows a,b        sizes of the table (default 10000,1000000,10000000)
  --questions text  only those whose name has this in it
  --rounds N        how often each is asked; the median counts (default 5)
  --milliseconds N  how long each time, 50 requests at most and one at least (default 150)
  --bulk N          new records at each size each way, in lists of ${recordsOfList}; 0: none (default 100000)
  --plans           prints statements and plans at the largest size, and measures nothing
  --keep            leaves the databases there for the next run
  --help, -h        this text

10 million rows take each server a minute to make, and up to 2 GB of disk.`

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: rowsDatabases.join() },
    rows: { type: 'string', default: '10000,1000000,10000000' },
    questions: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '150' },
    bulk: { type: 'string', default: '100000' },
    plans: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const sizes = options.rows.split(',').map(Number)
const chosen = questions.filter((question) => question.name.includes(options.questions))
const turn = { milliseconds: Number(options.milliseconds), requests: 50 }

async function measure(name: RowsDatabase): Promise<void> {
  const places: Place[] = []
  try {
    for (const rows of sizes) {
      console.error(`${name}: ${fixed(rows)} rows`)
      places.push(await open(name, rows, options.plans))
    }
    console.log(options.plans ? await plans(places) : report(name, sizes, await costsOf(places)))
  } finally {
    for (const { db, script } of places) {
      await db.destroy()
      await script.end()
    }
    if (!options.keep) for (const rows of sizes) await dropDatabase(name, databaseOf(rows))
  }
}

async function plans(places: readonly Place[]): Promise<string> {
  const texts: string[] = []
  for (const question of chosen) texts.push(await plansOf(question, places.at(-1) as Place))
  return texts.join('\n\n')
}

async function costsOf(places: readonly Place[]): Promise<ReadonlyMap<string, Costs>> {
  const costs = new Map<string, Costs>()
  for (const question of chosen) {
    for (const [i, place] of places.entries())
      await requireSameRows(question, place, i === 0 ? 3 : 1)
    costs.set(question.name, await inTurns(places, question, Number(options.rounds), turn))
    console.error(question.name)
  }
  const records = Number(options.bulk)
  if (records > 0)
    costs.set(`list of ${fixed(recordsOfList)} new items`, await bulkInTurns(places, records))
  return costs
}

if (options.help) console.log(help)
else {
  for (const name of rowsDatabases) {
    if (options.databases.split(',').includes(name)) await measure(name)
  }
}
