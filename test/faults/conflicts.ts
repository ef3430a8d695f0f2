/** Transactions of other clients that conflict with those of the service: deadlocks, and a stricter isolation level set by the operator. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AnyKysely } from '../support/faults.ts'
import { endConnections } from './connections.ts'
import type { Fault } from './faults.ts'
import { adminOf, type Setup } from './setups.ts'

/** The conflicting statements change a column that the service does not. */
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
        // Lets the transaction that gave way end before the next one.
        await sleep(700)
      }
      // PostgreSQL updates its count of deadlocks a moment later.
      await sleep(1_500)
      const met = (await deadlocksOf(setup, db)) - before
      if (met < 4) throw new Error(`only ${met} deadlocks happened`)
    } finally {
      await db.destroy()
    }
  },
}

/** Locks the twins in the opposite order to the service, in a transaction that the server prefers over those of the service. */
async function cross({ name }: Setup, db: AnyKysely): Promise<void> {
  // At READ COMMITTED, MariaDB locks only those rows that it changes.
  const crossing = db.transaction().setIsolationLevel('read committed')
  await crossing.execute(async (transaction) => {
    // PostgreSQL ends the transaction that checks for a deadlock first; MariaDB the one that has changed fewer rows.
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

/** The operator has made the isolation of every new connection stricter; it applies to reads and to statements outside transactions. */
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

/** Requires that a connection with the settings of the service's gets a conflict that a weaker isolation would not have. */
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
