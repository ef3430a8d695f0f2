/** A table of the same name in another database has no influence; it used to decide how rows are inserted on MariaDB. */

import { mysqlSingleWrites } from '../../packages/core/src/dialect/mysql/mysql-writes.ts'
import type { DialectTable } from '../../packages/core/src/model/dialect-column.ts'
import { equal } from '../support/assert.ts'
import { databaseBeside } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

const tables: readonly DialectTable[] = [{ table: 'same_name', columns: [] }]

eachDatabase('a table of the same name in another database', (test, db) => {
  const other = databaseBeside(db)
  test.before(() => db.execScript('create table same_name (id integer primary key, n integer)'))
  test.after(() => other.close())

  test('is ignored', async () => {
    if (db.name !== 'mysql') return
    const known = async () =>
      (await mysqlSingleWrites(db.kysely, tables))('insert', {
        schema: undefined,
        table: 'same_name',
      })
    const before = await known()
    await other.execScript(
      'create table same_name (id integer primary key, n integer, m integer generated always as (id + 1) stored)',
    )
    equal(await known(), before)
  })
})
