/** Rights to upsert and to restore, and columns that are set once: no answer says which records exist that the caller cannot see. */
import { type ApiConfig, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, notEqual } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

/** A caller sees the live records of owner 7. */
const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    code: { type: 'string', maxLength: 20, unique: true },
    maker: { type: 'string', maxLength: 20, immutable: true },
    owner_id: { type: 'integer', hidden: true, default: 7 },
    gone: { type: 'datetime', nullable: true },
  },
  meta: {
    access_policy: { scope: { owner_id: { eq: 7 } } },
    soft_delete: true,
    soft_delete_attribute: 'gone',
    soft_delete_values: [null, 'now'],
  },
})

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ROLE_MAP: { '*': 'member', UPSERT: 'importer', RESTORE: 'restorer' },
}

const deleted = '2020-01-01T00:00:00.000Z'
const hidden = { code: 'hidden', maker: 'right', owner_id: 8, gone: null }

eachDatabase('rights to upsert and restore', (test, db) => {
  const api = testApi(db, [Part], config)
  const as = async (roles: string, method: string, url: string, body?: unknown) => {
    const user = { id: 7, roles: roles.split(' ') }
    const extra = body === undefined ? { user } : { user, body }
    const { status, errors } = await send(api, method, url, extra)
    return JSON.stringify([status, errors])
  }

  test.before(() => createTables(db, [Part]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('parts').execute()
    await insertRows(db, Part, [
      { id: 1, code: 'seen', maker: 'right', owner_id: 7, gone: null },
      { id: 2, ...hidden },
      { id: 3, code: 'deleted', maker: 'right', owner_id: 7, gone: deleted },
      { id: 4, code: 'both', maker: 'right', owner_id: 8, gone: deleted },
    ])
  })

  test('without the right to upsert, all records are refused alike', async () => {
    const answers = new Set<string>()
    for (const code of ['seen', 'hidden', 'deleted', 'both', 'free']) {
      for (const maker of ['right', 'other']) {
        const part = { id: 9, code, maker }
        for (const body of [part, [part], [{ id: 8, code: 'new', maker }, part]]) {
          answers.add(await as('member', 'POST', '/api/parts?on_conflict=code', body))
        }
      }
    }
    equal(
      [...answers].map((answer) => answer.slice(0, 4)),
      ['[403'],
    )
  })

  test('without the right to restore, all records are refused alike', async () => {
    const answers = new Set<string>()
    for (const key of [1, 2, 3, 4, 99]) {
      answers.add(await as('member', 'POST', `/api/parts/${key}/restore`))
    }
    equal(
      [...answers].map((answer) => answer.slice(0, 4)),
      ['[403'],
    )
  })

  test('with it, a record out of scope is as one that does not exist', async () => {
    const restore = (key: number) => as('member restorer', 'POST', `/api/parts/${key}/restore`)
    equal([await restore(2), await restore(4)], [await restore(99), await restore(99)])
    equal((await restore(3)).slice(0, 4), '[200')
  })

  test('an upsert does not say whether a column that is set once has the stored value', async () => {
    const roles = 'member importer'
    const upsert = (code: string, maker: string) =>
      as(roles, 'POST', '/api/parts?on_conflict=code', { id: 9, code, maker })
    const inList = (code: string, maker: string) =>
      as(roles, 'POST', '/api/parts?on_conflict=code', [{ id: 9, code, maker }])
    for (const write of [upsert, inList]) {
      notEqual(await write('seen', 'right'), await write('seen', 'other'))
      for (const code of ['hidden', 'both']) {
        equal(await write(code, 'right'), await write(code, 'other'), code)
      }
    }
  })
})
