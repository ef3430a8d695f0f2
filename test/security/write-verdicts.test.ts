/**
 * Every write of the leak matrices, sent as the operation of a batch, as a dry run, and by the client in the process: the result and
 * the rows afterwards are the same as for a separate request, and a dry run changes no rows. So what the matrices prove about single
 * writes also holds for batches and for `api.as`.
 */
import { type ApiConfig, type ApiRequest, stringify } from '@model-api/core'
import { sql } from 'kysely'
import { inFormOfAs, verdictAs } from '../support/as-client.ts'
import { equal } from '../support/assert.ts'
import { verdictAlone, verdictInBatch } from '../support/batch.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { doors as linkDoors } from './link-doors.ts'
import { ofCaller } from './of-caller.ts'
import { doors as roleDoors } from './role-doors.ts'
import { doors as settingDoors } from './setting-doors.ts'
import {
  admin,
  apiOf,
  createWorld,
  declared,
  fillWorld,
  full,
  undo,
  viewer,
  writtenTables,
} from './world.ts'
import { lists, taken, type Write, writes } from './write-doors.ts'

runsOn('one server of each engine')

const on = { API_ALLOW_BATCH: true } as const

/** The keys of new links come from a counter. */
const withoutId = (name: string, value: unknown) => (name === 'id' ? undefined : value)

const allWrites: Readonly<Record<string, readonly Write[]>> = {
  ...writes,
  ...lists,
  ...Object.fromEntries(
    Object.entries(linkDoors).map(([name, list]) => [name, list.flatMap(([, some]) => some)]),
  ),
  'a key that is taken': taken,
  ...Object.fromEntries(
    Object.entries({ ...roleDoors, ...settingDoors }).map(([name, { groups }]) => [
      name,
      groups.flatMap(([, some]) => some),
    ]),
  ),
}

/** The settings that only some doors need. */
const settingsOf = (door: string): ApiConfig => {
  const users = roleDoors[door]?.users
  return users === undefined ? (settingDoors[door]?.config ?? {}) : { API_USER_MODEL: users }
}

/** The texts of rows, by table. */
type Stored = Map<string, readonly string[]>

eachDatabase('a write in a batch, and by api.as', (test, db) => {
  test.before(() => createWorld(db))
  const config = { ...on, API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true }

  const everyTable = declared.map(({ table }) => table)

  /** The rows of some tables, in any order. */
  const stored = async (tables: Iterable<string>): Promise<Stored> => {
    const found: Stored = new Map()
    for (const table of tables) {
      const { rows } = await sql`select * from ${sql.id(table)}`.execute(db.kysely)
      const texts = rows.map((row) =>
        JSON.stringify(row, table === 'taggings' ? withoutId : undefined),
      )
      found.set(table, texts.sort())
    }
    return found
  }

  for (const [name, all] of Object.entries(allWrites)) {
    // Only a batch takes an Idempotency-Key for every kind of write.
    const list = all.filter(({ headers = {} }) => headers['idempotency-key'] === undefined)
    test(`has the same result as alone, also in a dry run: ${name}`, async () => {
      await fillWorld(db)
      const before = await stored(everyTable)
      const beforeIn = (tables: Iterable<string>): Stored =>
        new Map([...tables].map((table) => [table, before.get(table) ?? []]))
      for (const [caller, [user, of]] of Object.entries({ viewer, admin }).entries()) {
        const api = apiOf(db, { ...full, onDelete: settingDoors[name]?.onDelete }, of, {
          ...config,
          ...settingsOf(name),
        })
        for (const write of ofCaller(list, caller)) {
          const about = `${user}: ${write.method} ${write.url} ${stringify((write.body ?? null) as never)}`
          const request: ApiRequest = {
            method: write.method,
            url: write.url,
            headers: { 'content-type': 'application/json', ...write.headers },
            ...(write.body === undefined ? {} : { body: JSON.stringify(write.body) }),
          }
          const dry = await db.capture(() => verdictInBatch(api, request, true))
          const tried = writtenTables(dry.statements)
          equal(await stored(tried), beforeIn(tried), `a dry run left something: ${about}`)
          const alone = await db.capture(() => verdictAlone(api, request))
          equal(dry.result, alone.result, about)
          const written = writtenTables(alone.statements)
          const after = await stored(written)
          await undo(db, alone.statements)
          const leavesAndUndoes = async (statements: typeof alone.statements): Promise<void> => {
            const all = writtenTables([...alone.statements, ...statements])
            equal(await stored(all), new Map([...beforeIn(all), ...after]), about)
            await undo(db, statements)
          }
          const batched = await db.capture(() => verdictInBatch(api, request))
          equal(batched.result, alone.result, about)
          await leavesAndUndoes(batched.statements)
          const { headers = {}, body } = write
          const inProcess = { method: write.method, url: write.url, headers, body }
          const as = await db.capture(() => verdictAs(api, of, inProcess))
          equal(as.result, inFormOfAs(alone.result), `${about}, by api.as`)
          await leavesAndUndoes(as.statements)
        }
      }
      equal(await stored(everyTable), before, 'a table that no statement names has changed')
    })
  }
})
