/** The conformance list with the Node, drivers and Kysely of the suite: the reference for every other runtime and driver. */
import { readFileSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { equal } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { withoutTransactions } from '../support/without-transactions.ts'
import { type Answers, conformance } from './conformance.ts'

function compare(name: string, { text, documents, errors }: Answers, update: boolean): void {
  const file = new URL(name, import.meta.url)
  if (update && process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text)
  equal(text, readFileSync(file, 'utf8'), 'run again with UPDATE_GOLDEN=1, read the diff')
  equal(
    [documents.length, errors.filter((error) => !error.includes('needs a transaction'))],
    [2, []],
  )
}

eachDatabase('the conformance list', (test, db) => {
  test('gets the recorded responses', async () => {
    compare('answers.txt', await conformance(db.kysely, db.name), db.name === 'sqlite')
  })
})

suite('the conformance list by a driver without transactions', (test) => {
  test('gets the recorded responses: 501 for requests that need transactions', async () => {
    const dialect = withoutTransactions(new SqliteDialect({ database: new Sqlite(':memory:') }))
    // biome-ignore lint/suspicious/noExplicitAny: the tables are those of the list
    const db = new Kysely<any>({ dialect })
    compare('answers-without-transactions.txt', await conformance(db, 'sqlite'), true)
    await db.destroy()
  })
})
