/** Random references among records of two models: a cascade removes all that leads to a record, unless no order of deletions exists. */
import { type AnyModel, defineModel, type HookArgs, hasMany } from '@model-api/core'
import fc from 'fast-check'
import { send, testApi } from '../support/api.ts'
import { batches, check } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'

const tables = ['lefts', 'rights'] as const
type Table = (typeof tables)[number]

/** The foreign keys of each table, by whether they may be NULL. */
const keys = {
  may_left: 'lefts',
  may_right: 'rights',
  must_left: 'lefts',
  must_right: 'rights',
} as const
type Key = keyof typeof keys
const names = Object.keys(keys) as Key[]
const mayBeNull = (key: Key): boolean => key.startsWith('may')

/** Record 0 of each table refers to itself and to the other one: what must refer to something and leads to no other record refers to it. */
const ids = [1, 2, 3, 4] as const

interface Row extends Readonly<Record<Key, number | null>> {
  readonly table: Table
  readonly id: number
}

const graphs: fc.Arbitrary<readonly Row[]> = fc
  .array(
    fc.record({
      from: fc.nat(2 * ids.length - 1),
      // Few of the keys that may not be NULL, because any cycle of these is refused.
      key: fc.constantFrom(...names, ...names.filter(mayBeNull)),
      to: fc.constantFrom(...ids),
    }),
    { minLength: 4, maxLength: 14 },
  )
  .map((edges) => {
    const rows = tables.flatMap((table) =>
      ids.map((id) => ({
        table,
        id,
        may_left: null,
        may_right: null,
        must_left: 0,
        must_right: 0,
      })),
    ) as (Row & Record<Key, number | null>)[]
    for (const { from, key, to } of edges) Object.assign(rows[from] ?? {}, { [key]: to })
    return rows
  })

/** Trees below the first record by one key, with some references among their records by another one. */
const trees: fc.Arbitrary<readonly Row[]> = fc
  .tuple(
    fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
    fc.array(
      fc.record({
        from: fc.nat(2 * ids.length - 1),
        key: fc.constantFrom<Key>('may_left', 'may_right'),
        to: fc.constantFrom(...ids),
      }),
      { minLength: 2, maxLength: 6 },
    ),
  )
  .map(([parents, references]) => {
    const rows = tables.flatMap((table, first) =>
      ids.map((id) => {
        const parent = parents[first * ids.length + id - 1] ?? 0
        const must_left =
          table === 'rights' ? 1 + (parent % ids.length) : id === 1 ? 0 : 1 + (parent % (id - 1))
        return { table, id, may_left: null, may_right: null, must_left, must_right: 0 }
      }),
    ) as (Row & Record<Key, number | null>)[]
    for (const { from, key, to } of references) Object.assign(rows[from] ?? {}, { [key]: to })
    return rows
  })

const nameOf = (table: Table, id: number): string => `${table}/${id}`

/** The records to which a row refers. */
const referred = (row: Row, isOne: (key: Key) => boolean): readonly string[] =>
  names.flatMap((key) => {
    const to = row[key]
    return to === null || !isOne(key) ? [] : [nameOf(keys[key], to)]
  })

/** What the first deletion does with the rows that refer by each key. */
type Rules = Readonly<Record<Key, 'cascade' | 'null' | 'restrict'>>

/** The rows that are left when the first record is deleted; null if others prevent it, or cycles of keys that may not be NULL. */
function leftWithoutFirst(rows: readonly Row[], rules: Rules): readonly Row[] | null {
  const gone = new Set([nameOf('lefts', 1)])
  const isGone = ({ table, id }: Row): boolean => gone.has(nameOf(table, id))
  for (let size = 0; size !== gone.size; ) {
    size = gone.size
    for (const row of rows) {
      const deciding = referred(row, (key) => rules[key] === 'cascade')
      if (deciding.some((one) => gone.has(one))) gone.add(nameOf(row.table, row.id))
    }
  }
  const kept = rows.filter((row) => !isGone(row))
  const isRestricted = (row: Row): boolean =>
    referred(row, (key) => rules[key] === 'restrict').some((one) => gone.has(one))
  if (kept.some(isRestricted)) return null
  const left = new Set(rows.filter(isGone))
  for (let size = 0; size !== left.size; ) {
    size = left.size
    for (const row of left) {
      const own = nameOf(row.table, row.id)
      const isFree = [...left]
        .filter((other) => other !== row)
        .every((other) => !referred(other, (key) => !mayBeNull(key)).includes(own))
      if (isFree) left.delete(row)
    }
  }
  if (left.size > 0) return null
  return kept.map((row) => {
    const emptied = names.filter((key) => gone.has(nameOf(keys[key], row[key] ?? 0)))
    return { ...row, ...Object.fromEntries(emptied.map((key) => [key, null])) }
  })
}

const all: Rules = {
  may_left: 'cascade',
  may_right: 'cascade',
  must_left: 'cascade',
  must_right: 'cascade',
}

/** By title: the rules of the relations; undefined for a request that says `cascade_delete`. */
const rulesOf: Readonly<Record<string, Rules | undefined>> = {
  'by the request': undefined,
  'by the models': {
    may_left: 'null',
    may_right: 'null',
    must_left: 'cascade',
    must_right: 'cascade',
  },
  'by rules that differ': {
    may_left: 'cascade',
    may_right: 'null',
    must_left: 'cascade',
    must_right: 'cascade',
  },
  'by rules that restrict': {
    may_left: 'cascade',
    may_right: 'null',
    must_left: 'cascade',
    must_right: 'restrict',
  },
  'by rules that restrict keys that may be NULL': {
    may_left: 'restrict',
    may_right: 'cascade',
    must_left: 'restrict',
    must_right: 'cascade',
  },
  'by rules that restrict one model': {
    may_left: 'restrict',
    may_right: 'restrict',
    must_left: 'cascade',
    must_right: 'cascade',
  },
}

const hooks: Readonly<Record<string, object>> = {
  'without hooks': {},
  'with hooks that send a statement': {
    remove_callback: async (record: { readonly id: number }, _: unknown, { db }: HookArgs) => {
      if (record.id % 2 === 1) await db.selectFrom('lefts').select('id').execute()
      return record
    },
  },
}

const worlds = Object.entries(rulesOf).flatMap(([title, rules]) =>
  Object.entries(hooks).map(([how, meta]) => ({ title: `${title}, ${how}`, rules, meta })),
)

for (const { title, rules, meta } of worlds) {
  eachDatabase(`removal in cycles ${title}`, (test, db) => {
    const modelOf = (name: string, table: Table): AnyModel =>
      defineModel(name, {
        table,
        columns: {
          id: { type: 'integer', primaryKey: true },
          ...Object.fromEntries(
            names.map((key) => [key, { type: 'integer', nullable: mayBeNull(key) }]),
          ),
        },
        relations: Object.fromEntries(
          names
            .filter((key) => keys[key] === table)
            .flatMap((key) =>
              ['Left', 'Right'].map((holder) => [
                `${holder.toLowerCase()}_${key}`,
                hasMany(holder, key, { on_delete: rules?.[key] ?? 'restrict' }),
              ]),
            ),
        ),
        meta,
      } as never)
    const api = testApi(db, [modelOf('Left', 'lefts'), modelOf('Right', 'rights')], {
      API_ALLOW_CASCADE_DELETE: true,
    })

    test.before(async () => {
      const foreignKeys = names.map((key) => `foreign key (${key}) references ${keys[key]} (id)`)
      const columns = names.map((key) => `${key} integer${mayBeNull(key) ? '' : ' not null'}`)
      const isSqlite = db.name === 'sqlite'
      const all = isSqlite ? [...columns, ...foreignKeys] : columns
      for (const table of tables) {
        await db.execScript(`create table ${table} (id integer primary key, ${all.join(', ')})`)
      }
      const first = tables.map((table) => `insert into ${table} values (0, null, null, 0, 0);`)
      if (isSqlite) {
        return db.execScript(`begin; pragma defer_foreign_keys = on; ${first.join(' ')} commit;`)
      }
      await db.execScript(first.join('\n'))
      for (const table of tables) {
        const added = foreignKeys.map((key) => `add ${key}`)
        await db.execScript(`alter table ${table} ${added.join(', ')}`)
      }
    })

    const stored = async (): Promise<readonly Row[]> => {
      const found = tables.map(async (table) => {
        const rows = await db.kysely
          .selectFrom(table)
          .selectAll()
          .where('id', '>', 0)
          .orderBy('id')
          .execute()
        return rows.map((row) => ({ table, ...row }) as unknown as Row)
      })
      return (await Promise.all(found)).flat()
    }

    async function store(rows: readonly Row[]): Promise<void> {
      for (const table of tables) {
        const empty = { may_left: null, may_right: null, must_left: 0, must_right: 0 }
        await db.kysely.updateTable(table).set(empty).execute()
      }
      for (const table of tables) {
        await db.kysely.deleteFrom(table).where('id', '>', 0).execute()
        const values = ids.map((id) => ({ id, must_left: 0, must_right: 0 }))
        await db.kysely.insertInto(table).values(values).execute()
      }
      for (const { table, id, ...values } of rows) {
        await db.kysely.updateTable(table).set(values).where('id', '=', id).execute()
      }
    }

    const textOf = (rows: readonly Row[]): string =>
      rows
        .map((row) => `${nameOf(row.table, row.id)}: ${names.map((key) => row[key]).join(' ')}`)
        .join('\n')

    batches(test, 'random references', 200, (parameters) =>
      check(fc.oneof(graphs, trees), parameters, async (rows) => {
        await store(rows)
        const left = leftWithoutFirst(rows, rules ?? all)
        const query = rules === undefined ? '?cascade_delete=1' : ''
        const { status, text } = await send(api, 'DELETE', `/api/lefts/1${query}`)
        const [expected, actual] = [
          left === null ? `409\n${textOf(rows)}` : `200\n${textOf(left)}`,
          `${status}\n${textOf(await stored())}`,
        ]
        if (expected !== actual)
          return `${textOf(rows)}\nexpected ${expected}\nis ${actual}\n${text}`
      }),
    )
  })
}
