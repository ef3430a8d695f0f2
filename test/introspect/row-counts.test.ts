/** The numbers of rows that `serve` shows: counted up to 10,000, otherwise estimated, and never read to the end. */
import { introspect, type RowCount, rowCounts } from '@model-api/core/introspect'
import { rowCountWords } from '../../packages/http-node/src/commands/output/row-count-words.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'

eachDatabase('the number of rows', (test, db) => {
  const filled = (table: string, rows: number): string =>
    `insert into ${table} with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n;`
  test.before(async () => {
    await db.execScript(
      `create table empties (id integer primary key); create table fews (id integer primary key);
       create table manys (id integer primary key); create table loose (size integer);
       create view seen as select id from manys;
       insert into fews values (1), (2), (3); insert into loose values (1), (1);`,
    )
    // MySQL and MariaDB limit the recursion to 1,000 steps.
    if (db.name !== 'mysql') return db.execScript(filled('manys', 12_000))
    const digits = '(select 0 d union all select 1 union all select 2 union all select 3)'
    const sixteen = `(select a.d * 4 + b.d d from ${digits} a, ${digits} b)`
    await db.execScript(
      `insert into manys select a.d * 4096 + b.d * 256 + c.d * 16 + e.d from (select 0 d union all select 1 union all select 2) a, ${sixteen} b, ${sixteen} c, ${sixteen} e`,
    )
  })
  const counts = async (): Promise<Record<string, RowCount | undefined>> => {
    const { models } = await introspect(db.kysely)
    const found = await rowCounts(db.kysely, models)
    return Object.fromEntries(models.map((model) => [model.table, found.get(model)]))
  }

  test('is exact for small tables, and absent for views', async () => {
    const { empties, fews, loose, ...others } = await counts()
    equal(
      [empties, fews, loose],
      [0, 3, 2].map((rows) => ({ rows, is: 'exact' })),
    )
    equal(Object.keys(others).sort(), ['manys', 'seen'])
    equal(others.seen, undefined)
  })

  test('is no longer counted beyond 10,000', async () => {
    if (db.name === 'sqlite') return equal((await counts()).manys, { rows: 10_000, is: 'minimum' })
    await db.execScript(db.name === 'mysql' ? 'analyze table manys' : 'analyze manys')
    const { manys } = await counts()
    equal(manys?.is, 'estimate')
    ok((manys?.rows ?? 0) > 10_000 && (manys?.rows ?? 0) < 15_000, String(manys?.rows))
  })
})

suite('a number of rows in words', (test) => {
  test('says whether it is exact', () => {
    equal(
      [
        rowCountWords({ rows: 0, is: 'exact' }),
        rowCountWords({ rows: 1, is: 'exact' }),
        rowCountWords({ rows: 9_999, is: 'exact' }),
        rowCountWords({ rows: 10_000, is: 'minimum' }),
        rowCountWords({ rows: 12_345_678, is: 'estimate' }),
      ],
      ['0 rows', '1 row', '9,999 rows', 'more than 10,000 rows', 'about 12,000,000 rows'],
    )
  })
})
