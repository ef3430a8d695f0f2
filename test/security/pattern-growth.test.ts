/** The cost of a search in a text does not grow with the length of the pattern, where the database has a way to search like that. */
import { detectDialect } from '@model-api/core/internals'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Dialect, TextTest } from '../../packages/core/src/dialect/dialect.ts'
import { constant } from '../../packages/core/src/lib/sql/param.ts'
import { ok } from '../support/assert.ts'
import { connectionMeter } from '../support/connection-meter.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'

runsOn('one server of each engine')

const column = (name: string, collation?: 'database') =>
  ({ name, dbName: name, type: 'text', nullable: false, ...(collation && { collation }) }) as const

const columns = { plain: column('plain'), own: column('own', 'database') }

/** Every place of the text begins with all of a pattern but for its last letter. */
const text = `${'a'.repeat(100_000)}xb`
const matches = ['contains', 'startsWith', 'endsWith'] as const

const types = {
  sqlite: 'text collate nocase',
  postgres: 'text',
  mariadb: 'longtext character set utf8mb4 collate utf8mb4_nopad_bin',
  mysql: 'longtext character set utf8mb4 collate utf8mb4_0900_bin',
}

/** MySQL and MariaDB have no function whose cost does not grow with the length of a text that it looks for inside of another one. */
const grows = (name: string, { match }: TextTest): boolean =>
  name === 'mysql' && match === 'contains'

eachDatabase('searches in long strings', (test, db) => {
  let dialect: Dialect

  test.before(async () => {
    await db.execScript(
      `create table notes (id int primary key, plain ${types[db.engine]}, own ${types[db.engine]})`,
    )
    const detected = detectDialect(db.kysely) as Dialect
    dialect =
      (await detected.connect?.(db.kysely, [
        { table: 'notes', columns: Object.values(columns) },
      ])) ?? detected
    const rows = Array.from({ length: 5 }, (_, id) => ({ id, plain: text, own: text }))
    await db.kysely.insertInto('notes').values(rows).execute()
  })

  const found = async (where: Expression<SqlBool>): Promise<number> => {
    const query = sql<{ n: unknown }>`select count(*) as n from notes where ${where}`
    return Number((await query.execute(db.kysely)).rows[0]?.n)
  }

  for (const match of matches) {
    for (const ignoreCase of [false, true]) {
      for (const name of ['plain', 'own'] as const) {
        const asked = (given: string): TextTest => ({
          match,
          text: constant(given),
          ignoreCase,
          negated: false,
        })
        const title = `${match}, ${ignoreCase ? 'ignoring case' : 'exactly'}, ${name === 'own' ? 'by its collation' : 'by code point'}`
        const growth = grows(db.name, asked('')) ? () => {} : test
        growth(title, async () => {
          const meter = connectionMeter(db)
          const cost = async (letters: number): Promise<number> => {
            const where = dialect.textMatch(
              columns[name],
              sql.ref(name),
              asked(`${'a'.repeat(letters)}b`),
            )
            let least = Number.POSITIVE_INFINITY
            for (let time = 0; time < 3; time++) {
              const start = await meter.cpu()
              ok((await found(where)) === 0, 'nothing is found')
              least = Math.min(least, (await meter.cpu()) - start)
            }
            return least
          }
          // Sixteen times the length: a pattern that is tried letter by letter at each place costs sixteen times as much.
          const [short, long] = [await cost(62), await cost(992)]
          ok(
            long + meter.floor < 8 * (short + meter.floor),
            `${short} ms for 62 letters, ${long} for 992`,
          )
        })

        test(`${title}: long texts are found`, async () => {
          const length = { contains: 40, startsWith: 40, endsWith: 40 }[match]
          const part = match === 'endsWith' ? `${'a'.repeat(length)}xb` : 'a'.repeat(length)
          for (const [given, rows] of [
            [part, 5],
            [`${part}.`, 0],
            [`${part}%`, 0],
          ] as const) {
            const where = asked(given)
            ok(
              (await found(dialect.textMatch(columns[name], sql.ref(name), where))) === rows,
              given,
            )
            const negated = { ...where, negated: true }
            const others = await found(dialect.textMatch(columns[name], sql.ref(name), negated))
            ok(others === 5 - rows, `not ${given}`)
          }
        })
      }
    }
  }
})
