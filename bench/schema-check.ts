/**
 * Measures the comparison of models with the database: `pnpm bench:schema [--models 100] [--others 0,3000] [--rounds 15]
 * [--databases postgres,mysql,sqlite]`.
 *
 * Each model has twelve columns, a unique column and a foreign key to the model before it. `--others` are further tables of the
 * same kind that no model names. `total` is the time of a comparison, `statements` the part of it that the statements took; both
 * are the medians of all rounds.
 */
import { parseArgs } from 'node:util'
import { type AnyModel, belongsTo, createApi, defineModel } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import {
  type DatabaseName,
  databaseNames,
  locationOf,
  openScript,
  type Script,
} from './databases.ts'

const { values: options } = parseArgs({
  options: {
    models: { type: 'string', default: '100' },
    others: { type: 'string', default: '0,3000' },
    rounds: { type: 'string', default: '15' },
    databases: { type: 'string', default: databaseNames.join(',') },
  },
})

/** A separate database, because of its many tables. */
const place = 'model_api_bench_schema'
const count = Number(options.models)

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

for (const name of options.databases.split(',') as DatabaseName[]) {
  for (const others of options.others.split(',').map(Number)) {
    const script = await prepared(name, others)
    const { total, statements, differences } = await measured(name)
    console.log(
      `${name}: ${count} models, ${others} other tables: ${total.toFixed(1)} ms, statements ${statements.toFixed(1)} ms, beyond them ${(total - statements).toFixed(1)} ms; ${differences} differences`,
    )
    await removed(name, script)
  }
}

async function prepared(name: DatabaseName, others: number): Promise<Script> {
  if (name !== 'sqlite') {
    const admin = await openScript(name)
    await admin.run(`drop database if exists ${place}`)
    await admin.end()
  }
  const script = await openScript(name, place)
  if (name === 'sqlite')
    await script.run('pragma foreign_keys = off; pragma synchronous = off; begin')
  for (const [prefix, length] of [
    ['measured', count],
    ['other', others],
  ] as const) {
    for (let i = 0; i < length; i++) {
      await script.run(`drop table if exists ${prefix}_${i}`)
      await script.run(tableText(prefix, i))
    }
  }
  if (name === 'sqlite') await script.run('commit')
  return script
}

function tableText(prefix: string, i: number): string {
  const columns = Array.from({ length: 9 }, (_, k) => `c${k} varchar(80) not null`)
  const before = i === 0 ? '' : `, foreign key (before_id) references ${prefix}_${i - 1} (id)`
  return `create table ${prefix}_${i} (id integer not null primary key, before_id integer, code varchar(20) not null unique, ${columns.join(', ')}${before})`
}

async function removed(name: DatabaseName, script: Script): Promise<void> {
  if (name === 'sqlite') {
    const tables = await script.read(
      "select name from sqlite_master where name glob 'measured_*' or name glob 'other_*'",
    )
    for (const table of tables)
      if (!String(table.name).startsWith('sqlite_'))
        await script.run(`drop table if exists ${table.name}`)
    await script.end()
    return
  }
  await script.end()
  const admin = await openScript(name)
  await admin.run(`drop database ${place}`)
  await admin.end()
}

function modelOf(i: number): AnyModel {
  const text = { type: 'string', maxLength: 80 } as const
  return defineModel(`Measured${i}`, {
    table: `measured_${i}`,
    columns: {
      id: { type: 'integer', primaryKey: true },
      before_id: { type: 'integer', nullable: true },
      code: { type: 'string', maxLength: 20, unique: true },
      ...Object.fromEntries(Array.from({ length: 9 }, (_, k) => [`c${k}`, text])),
    },
    relations: i === 0 ? {} : { before: belongsTo(`Measured${i - 1}`, 'before_id') },
    meta: {},
  } as never)
}

function dialectOf(name: DatabaseName) {
  if (name === 'sqlite') return new SqliteDialect({ database: new Sqlite(locationOf(name)) })
  if (name === 'postgres') {
    const pool = new pg.Pool({ connectionString: locationOf(name, place), max: 1 })
    pool.on('error', () => {})
    return new PostgresDialect({ pool })
  }
  const uri = locationOf(name, place)
  return new MysqlDialect({ pool: mysql.createPool({ uri, connectionLimit: 1 }) })
}

async function measured(name: DatabaseName) {
  let spent = 0
  const db = new Kysely<never>({
    dialect: dialectOf(name),
    log: ({ queryDurationMillis }) => {
      spent += queryDurationMillis
    },
  })
  const models = Array.from({ length: count }, (_, i) => modelOf(i))
  const api = createApi({ db, models, config: { API_SCHEMA_CHECK: 'off' }, onWarning: () => {} })
  await api.ready
  const totals: number[] = []
  const statements: number[] = []
  let differences = 0
  for (let round = 0; round < Number(options.rounds); round++) {
    spent = 0
    const start = performance.now()
    differences = (await api.schemaDifferences()).length
    totals.push(performance.now() - start)
    statements.push(spent)
  }
  await db.destroy()
  return { total: median(totals), statements: median(statements), differences }
}
