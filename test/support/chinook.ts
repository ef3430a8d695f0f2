/** The Chinook sample database on every server, when its folder lies beside the repository. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { everyDatabase, type TestDatabase } from './databases.ts'

const beside = fileURLToPath(new URL('../../../shared/data/chinook/', import.meta.url))

/** Its folder, or undefined; `CHINOOK_DIR` names another one. */
export function chinookFolder(): string | undefined {
  const folder = process.env.CHINOOK_DIR ?? beside
  return existsSync(join(folder, 'chinook.sqlite')) ? folder : undefined
}

/** Why there is no Chinook, for `notRun`. */
export const chinookAbsent = `no chinook.sqlite in CHINOOK_DIR or ../shared/data/chinook`

/** Chinook on every database that is there, loaded by `load`; `missing` names the others. */
export function chinookDatabases(folder: string): { db: TestDatabase; load(): Promise<void> }[] {
  return everyDatabase({ sqliteFile: join(folder, 'chinook.sqlite') }).map((db) => ({
    db,
    load: async () => {
      if (db.name !== 'sqlite') await db.execScript(chinookScript(folder, db.name))
    },
  }))
}

/** The script without the statements that choose a database: tests bring their own. */
function chinookScript(folder: string, name: 'postgres' | 'mysql'): string {
  const text = readFileSync(join(folder, `chinook.${name}.sql`), 'utf8')
  return text.replace(/^(drop database|create database|use|\\c)\b.*;/gim, '')
}
