/** The Chinook loader: the same rows on every database. */
import { sql } from 'kysely'
import { equal } from '../../support/assert.ts'
import { eachChinook } from '../../support/chinook.ts'

eachChinook('Chinook', (test, db) => {
  const table = (name: string): string => (db.name === 'postgres' ? name.toLowerCase() : name)

  test('is loaded whole', async () => {
    const count = async (name: string): Promise<number> => {
      const { rows } = await sql<{
        n: unknown
      }>`select count(*) as n from ${sql.table(table(name))}`.execute(db.kysely)
      return Number(rows[0]?.n)
    }
    equal(await Promise.all(['Artist', 'Album', 'Track'].map(count)), [275, 347, 3503])
  })
})
