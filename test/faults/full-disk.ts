/** The disk of the database is full, and later has free space again. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Fault } from './faults.ts'
import type { Setup } from './setups.ts'

export const fullDisk: Fault = {
  name: 'disk full for 5 s',
  on: ['sqlite', 'postgres', 'mysql'],
  fillsDisk: true,
  reports: /No space left on device|database or disk is full|disk I\/O error|is full/,
  async run({ setup }) {
    const { disk } = setup
    if (disk === null) throw new Error('there is no disk to fill')
    try {
      if (setup.name === 'sqlite') await emptyLog(setup)
      await disk.fill()
      // Fills the free space inside the tables too.
      await fillTables(setup)
      await sleep(5_000)
    } finally {
      disk.empty()
    }
    await startAgain(setup)
  },
}

/**
 * Truncates the write-ahead log. Otherwise SQLite would overwrite the part of the log that is already in the file, which needs no
 * free space, and no write would meet the full disk.
 */
async function emptyLog({ admin }: Setup): Promise<void> {
  const db = admin()
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  await db.destroy()
}

/** Inserts records until the database has no room for more. */
async function fillTables({ admin }: Setup): Promise<void> {
  const db = admin()
  try {
    for (let i = 0; i < 2_000; i++) {
      const rows = Array.from({ length: 20 }, () => ({
        token: randomUUID(),
        note: 'x'.repeat(200),
      }))
      await db.insertInto('entries').values(rows).execute()
    }
  } catch {
    return
  } finally {
    await db.destroy().catch(() => {})
  }
  throw new Error('the disk was never full')
}

/** The server may have ended because the disk was full. */
async function startAgain({ admin, server }: Setup): Promise<void> {
  if (server === null) return
  const db = admin()
  const answers = await sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  await db.destroy().catch(() => {})
  if (answers) return
  await server.kill()
  await server.start()
}
