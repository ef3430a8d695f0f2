// An index on the column is used for equality, lists, ranges, prefixes and order, if the collation allows it.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import { equal, ok } from '../support/assert.ts'
import type { Engine, TestDatabase } from '../support/databases.ts'
import { type PlainDialect, withPlainValues } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'

const column = (
  name: string,
  type:
    | 'integer'
    | 'bigint'
    | 'string'
    | 'uuid'
    | 'datetime'
    | 'date'
    | 'time'
    | 'decimal'
    | 'enum',
) =>
  ({
    name,
    dbName: name,
    type,
    nullable: false,
    ...(type === 'decimal' && { precision: 12, scale: 2 }),
  }) as const

const columns = {
  id: column('id', 'integer'),
  /** Collated by code point, so that the order is the same everywhere and an index serves it. */
  exact: column('exact', 'string'),
  /** With the default collation of the database. */
  loose: column('loose', 'string'),
  big: column('big', 'bigint'),
  code: column('code', 'uuid'),
  price: column('price', 'decimal'),
  day: column('day', 'date'),
  moment: column('moment', 'datetime'),
  /** Without microseconds. */
  rounded: column('rounded', 'datetime'),
  zoned: column('zoned', 'datetime'),
  clock: column('clock', 'time'),
}

type Name = keyof typeof columns
const names = Object.keys(columns) as Name[]
const indexed = names.filter((name) => name !== 'id')

const mysqlTable = (codePoint: string): string =>
  `create table items (id int primary key, exact varchar(50) collate ${codePoint}, loose varchar(50), big bigint,
    code char(36), price decimal(12, 2), day date, moment datetime(6), rounded datetime(3), zoned timestamp(6), clock time(6))
    character set utf8mb4 collate utf8mb4_unicode_ci`

const ddl: Readonly<Record<Engine, string>> = {
  sqlite: `create table items (id integer primary key, exact text, loose text, big integer, code text,
    price decimal(12, 2), day text, moment text, rounded text, zoned text, clock text)`,
  postgres: `create table items (id int primary key, exact text collate "C", loose text collate "en-x-icu", big bigint, code uuid,
    price numeric(12, 2), day date, moment timestamp(6), rounded timestamp(3), zoned timestamptz(6), clock time(6))`,
  mariadb: mysqlTable('utf8mb4_nopad_bin'),
  mysql: mysqlTable('utf8mb4_0900_bin'),
}

const hex = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

async function createItems(db: TestDatabase): Promise<void> {
  await db.execScript(ddl[db.engine])
  for (const name of indexed)
    await sql`create index ${sql.ref(`of_${name}`)} on items (${sql.ref(name)})`.execute(db.kysely)
  const all = Array.from({ length: 2000 }, (_, i) => {
    const second = `2024-01-${String(1 + (i % 28)).padStart(2, '0')} 00:${String(i % 60).padStart(2, '0')}:00`
    return {
      id: i,
      exact: `e${i}`,
      loose: `l${i}`,
      big: i,
      code: hex(i),
      price: i / 4,
      day: second.slice(0, 10),
      moment: second,
      rounded: second,
      zoned: second,
      clock: second.slice(11),
    }
  })
  for (let at = 0; at < all.length; at += 500)
    await db.kysely
      .insertInto('items')
      .values(all.slice(at, at + 500))
      .execute()
  await sql.raw(db.name === 'mysql' ? 'analyze table items' : 'analyze').execute(db.kysely)
}

const explain: Readonly<Record<Engine, RawBuilder<unknown>>> = {
  sqlite: sql`explain query plan`,
  postgres: sql`explain`,
  mariadb: sql`explain`,
  mysql: sql`explain format = traditional`,
}

/** Returns the plan of the database: whether it uses an index on the column, and whether it sorts. */
async function planOf(
  db: TestDatabase,
  where: Expression<SqlBool> | undefined,
  order: readonly Expression<unknown>[],
): Promise<string> {
  const narrowed = where === undefined ? sql`` : sql` where ${where}`
  const ordered = order.length === 0 ? sql`` : sql` order by ${sql.join(order)} limit 5`
  const query = sql`select id, price from items${narrowed}${ordered}`
  return db.kysely.connection().execute(async (connection) => {
    if (db.name === 'postgres') {
      // PostgreSQL would read a small table whole; the test needs to know whether it could use an index.
      await sql`set enable_seqscan = off`.execute(connection)
      await sql`set enable_sort = off`.execute(connection)
    }
    const { rows } = await sql<Record<string, unknown>>`${explain[db.engine]} ${query}`.execute(
      connection,
    )
    if (db.name === 'sqlite') return rows.map(({ detail }) => String(detail)).join('\n')
    if (db.name === 'postgres') return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    return rows.map(({ type, key, Extra }) => `${type} ${key} ${Extra}`).join('\n')
  })
}

/** How a plan shows that it uses an index: to find rows, or to return them in order. */
const serves = {
  sqlite: {
    find: /SEARCH items USING (COVERING )?INDEX of_/,
    order: /^SCAN items USING (COVERING )?INDEX of_\w+$/,
  },
  postgres: {
    find: /Index Cond/,
    order: /^Limit.*\n\s+->\s+Index (Only )?Scan (Backward )?using of_\w+ on items[^\n]*$/,
  },
  mysql: {
    find: /^(const|ref|range|eq_ref) of_/,
    order: /^index of_\w+ (null|Using index|Backward index scan(; Using index)?)?$/,
  },
} as const

eachDatabase('dialect/indexes', (test, db) => {
  let dialect: PlainDialect

  test.before(async () => {
    await createItems(db)
    const detected = detectDialect(db.kysely)
    dialect = withPlainValues(
      (await detected.connect?.(db.kysely, [
        { table: 'items', columns: Object.values(columns) },
      ])) ?? detected,
    )
  })

  const samples: Readonly<
    Record<Name, readonly [string | number | bigint, string | number | bigint]>
  > = {
    id: [5, 6],
    exact: ['e5', 'e6'],
    loose: ['l5', 'l6'],
    big: [5n, 6n],
    code: [hex(5), hex(6)],
    price: ['5', '6.25'],
    day: ['2024-01-05', '2024-01-06'],
    moment: ['2024-01-05T00:05:00.000Z', '2024-01-05T00:06:00.000Z'],
    rounded: ['2024-01-05T00:05:00.000Z', '2024-01-05T00:06:00.000Z'],
    zoned: ['2024-01-05T00:05:00.000Z', '2024-01-05T00:06:00.000Z'],
    clock: ['00:05:00', '00:06:00'],
  }

  /** Lists of values whose statements have fewer conditions than values. */
  const long: Partial<Record<Name, readonly (string | number | bigint)[]>> = {
    exact: Array.from({ length: 40 }, (_, i) => `e${i}`),
    big: Array.from({ length: 40 }, (_, i) => BigInt(i)),
    code: Array.from({ length: 40 }, (_, i) => hex(i)),
    moment: Array.from({ length: 40 }, (_, i) => `2024-01-05T00:05:${i + 10}.000Z`),
    rounded: Array.from({ length: 40 }, (_, i) => `2024-01-05T00:05:${i + 10}.000Z`),
    zoned: Array.from({ length: 40 }, (_, i) => `2024-01-05T00:05:${i + 10}.000Z`),
    clock: Array.from({ length: 40 }, (_, i) => `00:05:${i + 10}`),
  }

  // SQLite computes the value of a decimal column from its stored form, so an index on the column cannot serve it.
  const served = (name: Name): boolean => !(db.name === 'sqlite' && name === 'price')

  const found = async (name: Name, where: Expression<SqlBool>): Promise<void> => {
    const plan = await planOf(db, where, [])
    ok(serves[db.name].find.test(plan), `${name}: ${plan}`)
  }

  for (const name of indexed.filter(served)) {
    test(`${name}: equality and lists`, async () => {
      const [one, other] = samples[name]
      await found(name, dialect.compare(columns[name], sql.ref(name), 'eq', one))
      for (const list of [[one, other], long[name] ?? []])
        if (list.length > 0)
          await found(name, dialect.oneOf(columns[name], sql.ref(name), list, false))
    })
  }

  for (const name of indexed.filter(
    (name) => served(name) && (name !== 'loose' || db.name === 'sqlite'),
  )) {
    test(`${name}: ranges`, async () => {
      const [low, high] = samples[name]
      const from = dialect.compare(columns[name], sql.ref(name), 'ge', low)
      const to = dialect.compare(columns[name], sql.ref(name), 'lt', high)
      await found(name, sql<SqlBool>`${from} and ${to}`)
    })

    test(`${name}: order, both directions`, async () => {
      for (const descending of [false, true]) {
        const nulls = descending ? 'first' : 'last'
        const terms = dialect.order(columns[name], sql.ref(name), {
          descending,
          nulls,
          mayBeNull: false,
        })
        const plan = await planOf(db, undefined, terms)
        ok(serves[db.name].order.test(plan), plan)
      }
    })
  }

  test('prefixes', async () => {
    const asked = { match: 'startsWith', text: 'e5', ignoreCase: false, negated: false } as const
    await found('exact', dialect.textMatch(columns.exact, sql.ref('exact'), asked))
    // Under any other collation, PostgreSQL needs an index made for patterns.
    if (db.name !== 'postgres')
      await found(
        'loose',
        dialect.textMatch(columns.loose, sql.ref('loose'), { ...asked, text: 'l5' }),
      )
  })

  test('keys of a join', async () => {
    const joined = dialect.sameKey(
      columns.loose,
      sql.ref('items.loose'),
      columns.loose,
      sql.ref('other.loose'),
    )
    const { rows } = await sql<{
      n: unknown
    }>`select count(*) as n from items inner join items as other on ${joined}`.execute(db.kysely)
    equal(Number(rows[0]?.n), 2000)
  })
})

eachDatabase('dialect/columns of other collations', (test, db) => {
  const name = { name: 'name', dbName: 'name', type: 'string', nullable: true } as const
  const other = { ...name, collation: 'database' } as const
  let dialect: PlainDialect

  test.before(async () => {
    const types = {
      sqlite: 'text collate nocase',
      postgres: 'text collate ignoring_case',
      mysql: 'varchar(50) character set latin1',
    }
    if (db.name === 'postgres') {
      await db.execScript(
        `create collation ignoring_case (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
      )
    }
    await db.execScript(
      `create table words (id int primary key, name ${types[db.name]}, twin ${types[db.name]})`,
    )
    const words = ['abc', 'ABC', 'Abc ', 'áb', 'ab', null]
    await db.kysely
      .insertInto('words')
      .values(words.map((word, id) => ({ id, name: word, twin: word?.toLowerCase() ?? null })))
      .execute()
    const detected = detectDialect(db.kysely)
    dialect = withPlainValues(
      (await detected.connect?.(db.kysely, [{ table: 'words', columns: [name, other] }])) ??
        detected,
    )
  })

  const ids = async (where: Expression<SqlBool>): Promise<number[]> =>
    (await db.kysely.selectFrom('words').select('id').where(where).orderBy('id').execute()).map(
      ({ id }) => Number(id),
    )

  test('parity does not depend on how the column was declared', async () => {
    const ref = sql.ref('name')
    equal(await ids(dialect.compare(name, ref, 'eq', 'abc')), [0])
    equal(await ids(dialect.compare(name, ref, 'ne', 'abc')), [1, 2, 3, 4])
    equal(await ids(dialect.compare(name, ref, 'lt', 'a')), [1, 2])
    equal(await ids(dialect.oneOf(name, ref, ['abc', 'áb'], false)), [0, 3])
    equal(await ids(dialect.oneOf(name, ref, ['abc', 'áb'], true)), [1, 2, 4])
    const match = { match: 'contains', text: 'B', negated: false } as const
    equal(await ids(dialect.textMatch(name, ref, { ...match, ignoreCase: false })), [1])
    equal(await ids(dialect.textMatch(name, ref, { ...match, ignoreCase: true })), [0, 1, 2, 3, 4])
    equal(
      await ids(dialect.sameKey(name, ref, { ...name, name: 'twin' }, sql.ref('twin'))),
      [0, 3, 4],
    )
    let query = db.kysely.selectFrom('words').select('id')
    for (const term of dialect.order(name, ref, {
      descending: false,
      nulls: 'last',
      mayBeNull: true,
    }))
      query = query.orderBy(sql`${term}`)
    equal(
      (await query.execute()).map(({ id }) => Number(id)),
      [1, 2, 4, 0, 3, 5],
    )
  })

  test('groups separate values that the collation of the column takes for equal', async () => {
    const group = dialect.comparable(name, sql.ref('name'))
    const grouped = { ...name, comparable: true } as const
    const decode = dialect.decoder(grouped)
    let query = db.kysely
      .selectFrom('words')
      .select(sql`${dialect.select(grouped, group)}`.as('v'))
      .groupBy(sql`${group}`)
    for (const term of dialect.order(grouped, group, {
      descending: false,
      nulls: 'last',
      mayBeNull: true,
    }))
      query = query.orderBy(sql`${term}`)
    equal(
      (await query.execute()).map(({ v }) => decode(v)),
      ['ABC', 'Abc ', 'ab', 'abc', 'áb', null],
    )
  })

  test('collation: database compares by the collation of the column', async () => {
    ok((await ids(dialect.compare(other, sql.ref('name'), 'eq', 'abc'))).includes(1))
  })
})
