/** A Galera node that aborts a transaction because of another node's commit: it reports that once, to the next command of any kind. */
import { defineModel } from '@model-api/core'
import { guardedMysql } from '@model-api/core/drivers'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Command, faultProxy, type Verdict } from '../support/fault-proxy.ts'
import { eachDatabase, type Test } from '../support/suite.ts'

eachDatabase('conflicts of a Galera cluster', define, { only: 'mysql' })

function define(test: Test, db: TestDatabase): void {
  test.before(() =>
    db.execScript(
      'create table accounts (id integer primary key auto_increment, label varchar(40), cents integer)',
    ),
  )
  test.after(() => db.close())

  const Account = defineModel('Account', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      label: { type: 'string', maxLength: 40 },
      cents: { type: 'integer' },
    },
    // The response is then read by a separate statement.
    meta: { access_policy: { scope_query: (query) => query } },
  })

  test('a write through the API is stored as a whole, or not at all', async () => {
    let aborted = 0
    for (let nth = 1; aborted === nth - 1; nth++) {
      let left = Number.POSITIVE_INFINITY
      const decide = ({ kind, inTransaction }: Command): Verdict => {
        if (kind !== 'query' || !inTransaction || --left !== 0) return 'forward'
        aborted += 1
        return { error: [1213, 'Deadlock found when trying to get lock'], rollback: true }
      }
      const proxy = await faultProxy('mysql', db.url ?? '', decide)
      const pool = guardedMysql(createPool({ uri: proxy.url, connectionLimit: 1 }))
      const kysely: TestDatabase['kysely'] = new Kysely({ dialect: new MysqlDialect({ pool }) })
      const api = testApi({ ...db, kysely }, [Account], { API_ALLOW_BULK: true })
      await api.ready
      left = nth
      const label = `the command ${nth}`
      const body = [1, 2, 3].map((cents) => ({ label, cents }))
      equal((await send(api, 'POST', '/api/accounts', { body })).status, 201)
      const stored = db.kysely.selectFrom('accounts').select('cents').where('label', '=', label)
      equal((await stored.execute()).map(({ cents }) => cents).sort(), [1, 2, 3])
      await kysely.destroy()
      await proxy.close()
    }
    // Every command after BEGIN was aborted once; they end with INSERT, SELECT and COMMIT.
    ok(aborted >= 3, `${aborted} transactions were aborted`)
  })
}
