// Uses the installed packages as users do: every entry, every server, one database; prints the results as JSON.

import { createServer as createHttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { modelApi as koaApi } from '@model-api/adapter-koa'
import { ApiError, createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { parseQuery } from '@model-api/core/internals'
import { createServer } from '@model-api/http-node'
import express from 'express'
import Koa from 'koa'
import * as kysely from 'kysely'

const { Kysely, sql } = kysely
const db = new Kysely({ dialect: await dialect() })
await sql`create temporary table smoke (id integer primary key, title varchar(20) not null)`.execute(
  db,
)
await sql`insert into smoke values (1, 'Emma'), (2, 'Nana')`.execute(db)

/** SQLite if its driver is installed, else PostgreSQL; with one connection, so that a temporary table stays visible. */
async function dialect() {
  if (process.env.SMOKE_POSTGRES === undefined) {
    const { default: Sqlite } = await import('better-sqlite3')
    return new kysely.SqliteDialect({ database: new Sqlite(':memory:') })
  }
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: process.env.SMOKE_POSTGRES, max: 1 })
  return new kysely.PostgresDialect({ pool })
}

const Smoke = defineModel('Smoke', {
  table: 'smoke',
  columns: { id: { type: 'integer', primaryKey: true }, title: { type: 'string', maxLength: 20 } },
  meta: { endpoint: 'smoke' },
})
const api = createApi({ db, models: [Smoke], onWarning: () => {} })

const path = '/api/smoke?title__eq=Emma&fields=title'
const answers = {}
answers.handle = (await api.handle({ method: 'GET', url: path, headers: {} })).body.value
answers.fetch = (await (await api.fetch(new Request(`http://localhost${path}`))).json()).value
const posted = await api.handle({
  method: 'POST',
  url: '/api/smoke',
  headers: { 'content-type': 'application/json' },
  body: '{"id":3,"title":"Ivanhoe"}',
})
answers.written = posted.status

const own = createServer(api)
const servers = {
  node: await own.listen(0),
  express: await listening(createHttpServer(express().use(expressApi(api)))),
  koa: await listening(createHttpServer(new Koa().use(koaApi(api)).callback())),
}
for (const [name, url] of Object.entries(servers)) {
  const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } })
  answers[name] = (await response.json()).value
}

function listening(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      server.unref()
      resolve(`http://127.0.0.1:${server.address().port}`)
    })
  })
}

let threads = 0
process.on('worker', () => {
  threads += 1
})
const check = passwordCheck('hash')
answers.password = await check({ hash: await hashPassword('right', 4) }, 'right', 'password')
answers.hashed_on_threads = threads > 0
const require = createRequire(import.meta.url)
answers.required = typeof require('@model-api/core').createApi

answers.entries = []
for (const name of ['core', 'http-node', 'adapter-express', 'adapter-koa']) {
  const paths = Object.keys(require(`@model-api/${name}/package.json`).exports)
  for (const path of paths.filter((one) => one !== './package.json')) {
    const specifier = `@model-api/${name}${path.slice(1)}`
    if (Object.keys(await import(specifier)).length > 0) answers.entries.push(specifier)
  }
}

try {
  parseQuery('or[title=Emma', { limits: {} })
} catch (error) {
  answers.same_class = error instanceof ApiError
}
answers.node_version = process.version
await own.close()
await db.destroy()
console.log(JSON.stringify(answers))
