/** Soft delete hid every record without the not-deleted value: those with NULL, and with values that only the host uses. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Page = defineModel('Page', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    removed: { type: 'boolean', nullable: true },
  },
  meta: {},
})

eachDatabase('soft delete', (test, db) => {
  test.before(async () => {
    await createTables(db, [Page])
    await insertRows(db, Page, [{ id: 1, removed: false }, { id: 2, removed: true }, { id: 3 }])
  })

  test('leaves out the deleted value only', async () => {
    const config = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'removed' }
    equal(await column(testApi(db, [Page], config), '/api/pages'), [1, 3])
  })
})
