/**
 * A new record that refers to a later one of its list was refused on MariaDB and MySQL; on the other databases if the list
 * takes several statements.
 */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const text = { type: 'string', maxLength: 10, nullable: true } as const
const notes = Array.from({ length: 18 }, (_, i) => [`note_${i}`, text] as const)

/** So many columns that a thousand records take several statements. */
const Folder = defineModel('Folder', {
  columns: {
    code: { type: 'string', maxLength: 10, primaryKey: true },
    parent_code: text,
    ...Object.fromEntries(notes),
  },
  relations: { parent: belongsTo('Folder', 'parent_code') },
  meta: { allow_bulk: true },
})

const models: readonly AnyModel[] = [Folder]

eachDatabase('a list whose records refer to later ones', (test, db) => {
  const api = testApi(db, models)
  test.before(() => createTables(db, models))
  test.before.each(async () => {
    await db.kysely.updateTable('folders').set({ parent_code: null }).execute()
    await db.kysely.deleteFrom('folders').execute()
  })

  test('is stored, and returned in its own order', async () => {
    const body = [
      { code: 'c', parent_code: 'b' },
      { code: 'x' },
      { code: 'b', parent_code: 'a' },
      { code: 'a' },
    ]
    const { status, value } = await send(api, 'POST', '/api/folders?fields=code', { body })
    equal([status, value], [201, body.map(({ code }) => ({ code }))])
  })

  test('is stored at any length', async () => {
    const body = Array.from({ length: 1000 }, (_, i) => ({
      code: `f${i}`,
      parent_code: i === 999 ? null : `f${i + 1}`,
      ...Object.fromEntries(notes.map(([name]) => [name, 'x'])),
    }))
    const { status, value } = await send(api, 'POST', '/api/folders?fields=code', { body })
    equal([status, value?.[998]], [201, { code: 'f998' }])
  })
})
