/** The Chinook sample database on every server, when its folder lies beside the repository. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestDatabase } from './databases.ts'
import { eachDatabase, notRun, type Test } from './suite.ts'

const beside = fileURLToPath(new URL('../../../shared/data/chinook/', import.meta.url))

/** Its folder, or undefined; the variable CHINOOK_DIR names another one. */
export function chinookFolder(): string | undefined {
  const folder = process.env.CHINOOK_DIR ?? beside
  return existsSync(join(folder, 'chinook.sqlite')) ? folder : undefined
}

/**
 * The same cases on Chinook in every available database. Table names differ by database, as in
 * the original scripts: `Album` on SQLite and MySQL, `album` on PostgreSQL. Without the sample the
 * closing table says NOT RUN.
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
  // Tests bring a database of their own.
  await db.execScript(text.replace(/^(drop database|create database|use|\\c)\b.*;/gim, ''))
}
