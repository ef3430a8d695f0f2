/** The position of MySQL in its log: it accepts the position that it reported, and has not reached a position of an unknown server. */
import { detectDialect } from '@model-api/core/internals'
import { sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('replication positions of MySQL', (test, db) => {
  test('are those of its binary log, if it has one', async () => {
    if (db.engine !== 'mysql') return
    const [log] = (
      await sql<{ mode: string }>`select @@global.gtid_mode as mode`.execute(db.kysely)
    ).rows
    const own = await detectDialect(db.kysely).connect?.(db.kysely)
    const replication = own?.server?.replication
    if (replication === undefined) throw new Error('no positions')
    await db.execScript('create table if not exists moved (id integer primary key)')
    // biome-ignore lint/suspicious/noExplicitAny: whatever the server gives
    const ask = async (value: any) =>
      (await sql<{ answer: unknown }>`select ${value} as answer`.execute(db.kysely)).rows[0]?.answer
    const position = await ask(replication.position)
    equal(typeof position === 'string', log?.mode === 'ON')
    if (typeof position !== 'string') return
    ok(replication.isPosition(position), position)
    equal(Number(await ask(replication.reached(position))), 1)
    const elsewhere = '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5'
    equal(Number(await ask(replication.reached(elsewhere))), 0)
    equal(
      [replication.isPosition('0-1-4711'), replication.isPosition(`${elsewhere}'`)],
      [false, false],
    )
  })
})
