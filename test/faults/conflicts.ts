/** Transactions of others in the way of ours: deadlocks, and an isolation that the operator has made stricter. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AnyKysely } from '../support/faults.ts'
import { endConnections } from './connections.ts'
import type { Fault } from './faults.ts'
import { adminOf, type Setup } from './setups.ts'

/** The statements of others touch a column of their own. */
const touch = (table: string) => sql`update ${sql.id(table)} set touched = touched + 1`

export const deadlocks: Fault = {
  name: 'deadlocks with transactions of others, eight times',
  on: ['postgres', 'mysql'],
  async run({ setup }) {
    const db = setup.admin()
    try {
      const before = await deadlocksOf(setup, db)
      for (let i = 0; i < 8; i++) {
        await cross(setup, db)
        // Whoever gave way is done before the next.
        await sleep(700)
      }
      // PostgreSQL counts them a moment later.
      await sleep(1_500)
      const met = (await deadlocksOf(setup, db)) - before
      if (met < 4) throw new Error(`only ${met} deadlocks happened`)
    } finally {
      await db.destroy()
    }
  },
}

/** Locks the twins the other way round than the service does, in a transaction that the server prefers to ours. */
async function cross({ name }: Setup, db: AnyKysely): Promise<void> {
  // Of the rows that it looks at, MariaDB then locks those alone that it changes.
  const crossing = db.transaction().setIsolationLevel('read committed')
  await crossing.execute(async (transaction) => {
    // PostgreSQL ends the one that looks first; MariaDB the one that has changed less.
    if (name === 'postgres') await sql`set local deadlock_timeout = '20s'`.execute(transaction)
    for (let i = 0; i < 10; i++) await sql`${touch('twins')} where id % 2 = 0`.execute(transaction)
    await sleep(400)
    await sql`${touch('twins')} where id % 2 = 1`.execute(transaction)
  })
}

async function deadlocksOf({ name }: Setup, db: AnyKysely): Promise<number> {
  const text =
    name === 'postgres'
      ? sql`select deadlocks as n from pg_stat_database where datname = current_database()`
      : sql`select variable_value as n from information_schema.global_status
          where variable_name = 'INNODB_DEADLOCKS'`
  const { rows } = await text.execute(db)
  return Number((rows[0] as { n: unknown } | undefined)?.n)
}

/** The operator has made the isolation of every new connection stricter; reads and lone statements have it. */
export const isolated = (level: 'repeatable read' | 'serializable'): Fault => ({
  name: `${level} by default, and others write the same rows, for 5 s`,
  on: ['postgres', 'mysql'],
  async run({ setup }) {
    const db = setup.admin()
    try {
      await isolate(setup, db, level)
      await endConnections(setup, db)
      const end = performance.now() + 5_000
      while (performance.now() < end) {
        await db
          .transaction()
          .execute(async (transaction) => {
            await touch('labels').execute(transaction)
            await touch('twins').execute(transaction)
            await sleep(50)
          })
          .catch(() => {})
        await sleep(20)
      }
      await mustConflict(setup, db)
    } finally {
      await isolate(setup, db, undefined)
      await endConnections(setup, db)
      await db.destroy()
    }
  },
})

async function isolate(
  { name }: Setup,
  db: AnyKysely,
  level: 'repeatable read' | 'serializable' | undefined,
): Promise<void> {
  if (name === 'postgres') {
    const setting = sql`default_transaction_isolation`
    await (level === undefined
      ? sql`alter role app reset ${setting}`
      : sql`alter role app set ${setting} = ${sql.lit(level)}`
    ).execute(db)
    return
  }
  const isolation = level === 'serializable' ? 'SERIALIZABLE' : 'REPEATABLE-READ'
  await sql`set global tx_isolation = ${sql.lit(isolation)}`.execute(db)
  const isStrict = level === undefined ? 0 : 1
  await sql`set global innodb_snapshot_isolation = ${sql.lit(isStrict)}`.execute(db)
}

/** A connection like those of the service meets a conflict that a weaker isolation does not have. */
async function mustConflict({ targets: [target = ''] }: Setup, db: AnyKysely): Promise<void> {
  const theirs = adminOf(target)
  let conflicts = 0
  const note = (): void => {
    conflicts += 1
  }
  const update = sql`${touch('labels')} where id = 1`
  let other: Promise<unknown> = Promise.resolve()
  await theirs
    .transaction()
    .execute(async (transaction) => {
      await sql`select token from labels where id = 1`.execute(transaction)
      other = update.execute(db).catch(note)
      await sleep(200)
      await update.execute(transaction)
    })
    .catch(note)
  await other
  await theirs.destroy()
  if (conflicts === 0) throw new Error('no transaction met a conflict')
}
