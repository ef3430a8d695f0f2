/**
 * A driver that fails at each statement of a batch in turn, before or after the database has received it: all operations are
 * stored, or none.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi } from '@model-api/core'
import { Kysely } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { eachServer } from '../support/faults.ts'
import { runsOn, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { dialectOf, Note, operations, type Place, storedBy, watched } from './batch-statements.ts'

runsOn('one server of each engine')

type Moment = 'before' | 'after'

/** Sends a batch without errors to count its statements, then one batch for each statement and moment of failure. */
async function allOrNothing(where: Place): Promise<void> {
  let count = 0
  let failing: { readonly at: number; readonly moment: Moment } | undefined
  let failed: string | undefined
  const failIf =
    (moment: Moment) =>
    (sql: string): void => {
      if (moment === 'before') count++
      if (failing?.at !== count || failing.moment !== moment) return
      // A driver whose BEGIN fails has not begun a transaction, or has lost its connection.
      if (moment === 'after' && /^(begin|start)/i.test(sql)) return
      failing = undefined
      failed = sql
      throw new Error('the driver has failed')
    }
  const db = new Kysely<{ notes: { id: number; label: string } }>({
    dialect: watched(await dialectOf(where), failIf('before'), failIf('after')),
  })
  const api = createApi({
    db,
    models: [Note],
    config: { API_ALLOW_BATCH: true, API_ALLOW_BULK: true, API_SCHEMA_CHECK: 'off' },
    onWarning: () => {},
    onError: () => {},
  })
  await api.ready
  const labelsOf = async (like: string) =>
    (
      await db
        .selectFrom('notes')
        .select('label')
        .where('label', 'like', `${like} %`)
        .orderBy('label')
        .execute()
    ).map(({ label }) => label)
  const send = async (label: string): Promise<number> => {
    count = 0
    const { status } = await api.handle({
      method: 'POST',
      url: '/api/batch',
      headers: { 'content-type': 'application/json' },
      body: { operations: operations(label) },
    })
    return status
  }
  try {
    await sendAll()
  } finally {
    await db.destroy()
  }

  async function sendAll(): Promise<void> {
    equal(await send('whole'), 200)
    const statements = count
    equal(await labelsOf('whole'), storedBy('whole'))
    let failures = 0
    for (let at = 1; at <= statements; at++) {
      for (const moment of ['before', 'after'] as const) {
        const label = `${moment} ${String.fromCharCode(96 + at)}`
        failing = { at, moment }
        failed = undefined
        const status = await send(label)
        failing = undefined
        const stored = await labelsOf(label)
        // Only COMMIT stores anything; if the driver fails after it, its outcome is unknown to the API.
        const isStored = failed === undefined || (moment === 'after' && /^commit/i.test(failed))
        equal(stored, isStored ? storedBy(label) : [], `${label}: ${failed}`)
        equal(status === 200, failed === undefined, `${label}: ${status}`)
        failures += failed === undefined ? 0 : 1
      }
    }
    ok(failures > 12, `${failures} failures`)
    equal([await send('last'), await labelsOf('last')], [200, storedBy('last')])
  }
}

eachServer('a driver that fails in a batch', (server) => {
  suite(`a driver that fails in a batch (${server.label})`, (test) => {
    test.after(() => server.close())

    test('stores the whole batch or nothing, whichever statement fails', async () => {
      await createTables(server, [Note])
      await allOrNothing({ kind: server.name, url: server.url })
    })
  })
})

suite('a driver that fails in a batch (SQLite)', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-'))
  test.after(() => rmSync(folder, { recursive: true }))

  test('stores the whole batch or nothing, whichever statement fails', async () => {
    const url = join(folder, 'notes.sqlite')
    const db = new Kysely<unknown>({ dialect: await dialectOf({ kind: 'sqlite', url }) })
    await db.schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('label', 'text', (column) => column.notNull().unique())
      .execute()
    await db.destroy()
    await allOrNothing({ kind: 'sqlite', url })
  })
})
