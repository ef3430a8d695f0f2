/** The Chinook sample database on every server, if the sample is on this machine. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestDatabase } from './databases.ts'
import { eachDatabase, notRun, type Test } from './suite.ts'

const beside = fileURLToPath(new URL('../../../shared/data/chinook/', import.meta.url))

/** The folder of the sample: CHINOOK_DIR, or the default. Undefined if the folder does not exist. */
export function chinookFolder(): string | undefined {
  const folder = process.env.CHINOOK_DIR ?? beside
  return existsSync(join(folder, 'chinook.sqlite')) ? folder : undefined
}

/**
 * Declares the same tests for Chinook in every available database. Table names differ between databases, as in the original
 * scripts: `Album` on SQLite and MySQL, `album` on PostgreSQL. Without the sample, the closing table says NOT RUN.
 */
export function eachChinook(name: string, define: (test: Test, db: TestDatabase) => void): void {
  const folder = chinookFolder()
  if (folder === undefined) {
    notRun('Chinook', 'no chinook.sqlite in CHINOOK_DIR or in ../shared/data/chinook')
    return
  }
  const withRows = (test: Test, db: TestDatabase): void => {
    test.before(() => load(db, folder))
    define(test, db)
  }
  eachDatabase(name, withRows, { sqliteFile: join(folder, 'chinook.sqlite') })
}

async function load(db: TestDatabase, folder: string): Promise<void> {
  if (db.name === 'sqlite') return
  const text = readFileSync(join(folder, `chinook.${db.name}.sql`), 'utf8')
  // Omits statements that create or choose a database, because the test has a database already.
  await db.execScript(text.replace(/^(drop database|create database|use|\\c)\b.*;/gim, ''))
}
