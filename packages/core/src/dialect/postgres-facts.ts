// What PostgreSQL must be asked once: how each text column is collated.

import { type Kysely, sql } from 'kysely'
import { classifyPostgres } from './classify.ts'
import type { DialectColumn, DialectTable } from './dialect.ts'

/**
 * `codePoint`: the column's own collation is the contract's order, so plain operators are right and its index serves.
 * `loose`: it holds different texts to be equal (citext, non-deterministic collations).
 */
export type Collates = 'codePoint' | 'loose'

export type Facts = (column: DialectColumn) => Collates | undefined

export const unknownFacts: Facts = () => undefined

/** A pool of the user's own has the user's settings; one without a time limit lets a single query hold it for ever. */
export async function timeoutAdvice(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ statement_timeout: unknown }>`show statement_timeout`.execute(db)
  return rows[0]?.statement_timeout === '0'
    ? [
        'statement_timeout is 0 on this connection: a slow query runs until it ends. Set it where the pool is made, ' +
          "such as new Pool({ statement_timeout: 5000 }), or for the role: alter role app set statement_timeout = '5s'.",
      ]
    : []
}

interface Declared {
  readonly i: unknown
  readonly c: unknown
  readonly type: unknown
  readonly name: unknown
  readonly deterministic: unknown
  readonly provider: unknown
  readonly locale: unknown
}

/** Looks the columns up; a server that only resembles PostgreSQL and has other catalogues is taken as it comes. */
export async function lookUpFacts(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  tables: readonly DialectTable[],
): Promise<Facts> {
  if (tables.length === 0) return unknownFacts
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  // Rows as JSON, since older servers lack some of the columns.
  const query = sql<Declared>`
    select t.i as i, a.attname::text as c, y.typname::text as type, k.collname::text as name,
      to_jsonb(k) ->> 'collisdeterministic' as deterministic,
      coalesce(to_jsonb(case when k.collprovider <> 'd' then k end) ->> 'collprovider', to_jsonb(d) ->> 'datlocprovider', 'c') as provider,
      case when k.collprovider <> 'd' then to_jsonb(k) ->> 'collcollate' else d.datcollate::text end as locale
    from jsonb_array_elements_text(${names}::jsonb) with ordinality as t(name, i)
    join pg_attribute a on a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    join pg_collation k on k.oid = a.attcollation
    cross join (select * from pg_database where datname = current_database()) d`
  const rows = await query.execute(db).then(
    (result) => result.rows,
    (error: unknown) => {
      if (classifyPostgres(error).kind === 'other') return []
      throw error
    },
  )
  const declared = new Map(rows.map((row) => [`${row.i} ${row.c}`, row]))
  const facts = new Map<DialectColumn, Collates>()
  tables.forEach(({ columns }, i) => {
    for (const column of columns) {
      const row = declared.get(`${i + 1} ${column.dbName}`)
      const collates = row && column.computed === undefined ? collatesOf(row) : undefined
      if (collates !== undefined) facts.set(column, collates)
    }
  })
  return (column) => facts.get(column)
}

function collatesOf({
  type,
  name,
  deterministic,
  provider,
  locale,
}: Declared): Collates | undefined {
  // Blanks at the end of a char(n) do not count; citext ignores case.
  if (type === 'citext' || type === 'bpchar' || deterministic === 'false') return 'loose'
  if (name === 'C' || name === 'POSIX' || name === 'ucs_basic') return 'codePoint'
  // The built-in provider has no order but that of code points.
  if (provider === 'b') return 'codePoint'
  return provider === 'c' && (locale === 'C' || locale === 'POSIX') ? 'codePoint' : undefined
}

/** A table as statements name it. */
export function quotedName(...names: readonly (string | undefined)[]): string {
  const given = names.filter((name) => name !== undefined)
  return given.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
}
