/** Creates the tables in an empty database, or in a new SQLite file. */
import { writeFileSync } from 'node:fs'
import { openDatabase } from '@model-api/http-node'
import { sql } from 'kysely'
import { tables } from './world.ts'

export async function prepareDatabase(url: string): Promise<void> {
  if (!url.includes('://')) writeFileSync(url, '')
  const { db, close } = await openDatabase(url)
  try {
    // In WAL mode, readers and the writer of a file do not wait for each other.
    if (!url.includes('://')) await sql.raw('pragma journal_mode = wal').execute(db)
    for (const statement of tables) await sql.raw(statement).execute(db)
  } finally {
    await close()
  }
}
