/** A JSON value was bound as a parameter of type json, which postgres.js encodes again: the column then held a JSON string. */
import { createApi, defineModel, type JsonValue } from '@model-api/core'
import { sql } from 'kysely'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    details: { type: 'json', nullable: true },
  },
  meta: {},
})

eachDatabase('JSON values', (test, db) => {
  test('are stored as sent, and PostgreSQL gets them as text', async () => {
    await createTables(db, [Note])
    const api = createApi({ db: db.kysely, models: [Note], onWarning: () => {} })
    const write = (method: string, url: string, details: unknown) =>
      api.handle({
        method,
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ details }),
      })
    const { result, statements } = await db.capture(async () => [
      await write('POST', '/api/notes', { a: [1, 'b'] }),
      await write('PATCH', '/api/notes/1', [true]),
      await write('PATCH', '/api/notes/1', null),
      await write('PATCH', '/api/notes/1', 'text'),
    ])
    const stored = result.map(({ status, body }) => [
      status,
      (body?.value as { readonly details: JsonValue } | undefined)?.details,
    ])
    equal(stored, [
      [201, { a: [1, 'b'] }],
      [200, [true]],
      [200, null],
      [200, 'text'],
    ])
    if (db.name !== 'postgres') return
    const insert = statements.find((one) => one.sql.startsWith('insert'))?.sql ?? ''
    await db.kysely.connection().execute(async (own) => {
      await sql.raw(`prepare json_bound as ${insert}`).execute(own)
      const { rows } = await sql<{ types: string }>`
        select parameter_types::text as types from pg_prepared_statements where name = 'json_bound'`.execute(
        own,
      )
      equal(rows, [{ types: '{text}' }])
    })
  })
})
