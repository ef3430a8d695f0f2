/** Cycles of references that share records: all are removed together, in an order in which no record prevents the removal of another. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

type Table = 'As' | 'Bs'

interface Meeting {
  readonly title: string
  /** The foreign keys of each table: the table that they name, and whether they may be NULL. */
  readonly refs: Readonly<
    Record<Table, readonly { readonly to: Table; readonly isNull: boolean }[]>
  >
  /** The values of the foreign keys in the rows 1, 2, … */
  readonly rows: Readonly<Record<Table, readonly (readonly (number | null)[])[]>>
  /** What is left without record 1 of the first table: the ids in both. */
  readonly left: readonly [readonly number[], readonly number[]]
}

const meetings: readonly Meeting[] = [
  {
    title: 'a record of one cycle waits, and another one that it names does too',
    refs: {
      As: [
        { to: 'Bs', isNull: true },
        { to: 'As', isNull: false },
      ],
      Bs: [
        { to: 'As', isNull: false },
        { to: 'As', isNull: false },
      ],
    },
    rows: {
      As: [
        [4, 4],
        [1, 3],
        [1, 4],
        [null, 4],
      ],
      Bs: [
        [2, 1],
        [1, 2],
        [3, 2],
        [3, 4],
      ],
    },
    left: [[4], []],
  },
  {
    title: 'a record of two cycles waits for the one that began first',
    refs: {
      As: [{ to: 'Bs', isNull: false }],
      Bs: [
        { to: 'As', isNull: true },
        { to: 'Bs', isNull: false },
      ],
    },
    rows: {
      As: [[3], [3], [4], [4]],
      Bs: [
        [2, 5],
        [4, 5],
        [null, 2],
        [1, 2],
        [null, 5],
      ],
    },
    left: [[], [5]],
  },
  {
    title: 'a record has two references in one cycle, of which one may be NULL',
    refs: {
      As: [
        { to: 'As', isNull: true },
        { to: 'As', isNull: true },
        { to: 'Bs', isNull: false },
      ],
      Bs: [{ to: 'As', isNull: true }],
    },
    rows: {
      As: [
        [1, null, 2],
        [1, 1, 1],
        [1, 3, 1],
      ],
      Bs: [[null], [2]],
    },
    left: [[], [1]],
  },
  {
    title: 'a record that refers to itself waits for a cycle',
    refs: {
      As: [{ to: 'Bs', isNull: false }],
      Bs: [
        { to: 'Bs', isNull: true },
        { to: 'As', isNull: true },
      ],
    },
    rows: {
      As: [[2]],
      Bs: [
        [null, 1],
        [1, 1],
      ],
    },
    left: [[], []],
  },
]

for (const { title, refs, rows, left } of meetings) {
  eachDatabase(`cycles that meet: ${title}`, (test, db) => {
    const tables = ['As', 'Bs'] as const
    const named = (table: Table): string => (table === 'As' ? 'first_ones' : 'second_ones')
    const models = tables.map((table) =>
      defineModel(table === 'As' ? 'FirstOne' : 'SecondOne', {
        columns: {
          id: { type: 'integer', primaryKey: true },
          ...Object.fromEntries(
            refs[table].map(({ isNull }, i) => [
              `ref_${i}`,
              { type: 'integer', ...(isNull ? { nullable: true } : {}) },
            ]),
          ),
        },
        relations: Object.fromEntries(
          refs[table].map(({ to }, i) => [
            `one_${i}`,
            belongsTo(to === 'As' ? 'FirstOne' : 'SecondOne', `ref_${i}`),
          ]),
        ),
        meta: {},
      } as never),
    ) as unknown as AnyModel[]
    const foreignKeys = (table: Table): string[] =>
      refs[table].map(({ to }, i) => `foreign key (ref_${i}) references ${named(to)} (id)`)

    test.before(async () => {
      const isSqlite = db.name === 'sqlite'
      for (const table of tables) {
        const columns = refs[table].map(
          ({ isNull }, i) => `ref_${i} integer${isNull ? '' : ' not null'}`,
        )
        const keys = isSqlite ? foreignKeys(table) : []
        await db.execScript(
          `create table ${named(table)} (id integer primary key, ${[...columns, ...keys].join(', ')})`,
        )
      }
      const inserts = tables.map((table) => {
        const values = rows[table].map((row, i) => `(${[i + 1, ...row].map(String).join(', ')})`)
        return `insert into ${named(table)} values ${values.join(', ')};`
      })
      const script = inserts.join('\n')
      if (isSqlite) {
        return db.execScript(`begin; pragma defer_foreign_keys = on; ${script} commit;`)
      }
      await db.execScript(script)
      for (const table of tables) {
        const added = foreignKeys(table).map((key) => `add ${key}`)
        await db.execScript(`alter table ${named(table)} ${added.join(', ')}`)
      }
    })

    test('all records that lead to the removed one go with it', async () => {
      const api = testApi(db, models, { API_ALLOW_CASCADE_DELETE: true })
      const { status, text } = await send(api, 'DELETE', '/api/first-ones/1?cascade_delete=1')
      const ids = async (table: Table): Promise<number[]> => {
        const found = await db.kysely.selectFrom(named(table)).select('id').orderBy('id').execute()
        return found.map(({ id }) => Number(id))
      }
      equal([status, await ids('As'), await ids('Bs')], [200, ...left], text)
    })
  })
}
