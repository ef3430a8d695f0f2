/** The cost of a search in a text does not grow with the length of the pattern on SQLite, which has no time limit. */
import { detectDialect } from '@model-api/core/internals'
import { sql } from 'kysely'
import { ok } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { cpuMilliseconds } from '../support/growth.ts'
import { suite } from '../support/suite.ts'

const column = { name: 'body', type: 'text', nullable: false } as const
const text = 'a'.repeat(100_000)
const matches = ['contains', 'startsWith', 'endsWith'] as const

/** Differences below this are noise, in milliseconds. */
const floor = 0.5

suite('searches in long strings', (test) => {
  const db = openDatabases().find(({ name }) => name === 'sqlite')
  test.before(async () => {
    await db?.execScript('create table notes (body text collate nocase)')
    await db?.kysely.insertInto('notes').values({ body: text }).execute()
  })
  test.after(async () => db?.close())

  for (const match of matches) {
    for (const ignoreCase of [false, true]) {
      for (const collation of [undefined, 'database'] as const) {
        test(`${match}, ${ignoreCase ? 'ignoring case' : 'exactly'}, ${collation ?? 'by code point'}`, async () => {
          const cost = async (letters: number): Promise<number> => {
            const asked = { match, text: `${'a'.repeat(letters)}b`, ignoreCase, negated: false }
            const of = collation === undefined ? column : { ...column, collation }
            const dialect = detectDialect(db?.kysely as never)
            const found = dialect.textMatch(of, sql.ref('body'), asked)
            let least = Number.POSITIVE_INFINITY
            for (let time = 0; time < 7; time++) {
              const start = cpuMilliseconds()
              await db?.kysely.selectFrom('notes').select('body').where(found).execute()
              least = Math.min(least, cpuMilliseconds() - start)
            }
            return least
          }
          // Sixteen times the length: a pattern that is tried letter by letter at each place costs sixteen times as much.
          const [short, long] = [await cost(64), await cost(1024)]
          ok((long + floor) / (short + floor) < 8, `${short} ms for 64 letters, ${long} for 1024`)
        })
      }
    }
  }
})
