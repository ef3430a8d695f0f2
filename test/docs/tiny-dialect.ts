/** A dialect of one's own, as docs/inside/adding-a-database.md describes it, for a database that has SQLite's SQL. */
import { type Dialect, genericDialect } from '@model-api/core'
import { type SqlBool, sql } from 'kysely'

const asNumber = <T>(value: T): T | number => (typeof value === 'boolean' ? Number(value) : value)

export const tiny: Dialect = {
  ...genericDialect,
  name: 'tiny',
  capabilities: {
    locksRows: false,
    blocksEventLoop: true,
    createsTablesInTransactions: true,
  },
  storeTypes: { datetime: 'text', digest: 'text', text: 'text', boolean: 'integer' },

  refuses: ({ type, storage }) =>
    type === 'decimal' && storage !== 'text'
      ? "Tiny has no exact decimals. Declare the column with `storage: 'text'`."
      : undefined,

  // The driver binds neither true nor false.
  encode: (column, value) => asNumber(genericDialect.encode(column, value)),
  compare: (column, ref, operator, value) =>
    genericDialect.compare(column, ref, operator, value.map(asNumber)),
  oneOf: (column, ref, values, negated) =>
    genericDialect.oneOf(
      column,
      ref,
      values.map((all) => all.map(asNumber)),
      negated,
    ),

  textMatch(_column, ref, { match, text, ignoreCase, negated }) {
    const value = ignoreCase ? sql`lower(${ref})` : ref
    const wanted = ignoreCase ? text.map((given) => given.toLowerCase()) : text
    const tests = {
      contains: sql<SqlBool>`instr(${value}, ${wanted}) > 0`,
      startsWith: sql<SqlBool>`substr(${value}, 1, length(${wanted})) = ${wanted}`,
      endsWith: sql<SqlBool>`substr(${value}, length(${value}) - length(${wanted}) + 1) = ${wanted}`,
    }
    return negated ? sql<SqlBool>`not (${tests[match]})` : tests[match]
  },

  bucket(unit, _column, ref) {
    if (unit === 'year') return sql`cast(substr(${ref}, 1, 4) as integer)`
    return unit === 'month' ? sql`substr(${ref}, 1, 7)` : sql`substr(${ref}, 1, 10)`
  },

  classify(error) {
    switch ((error as { code?: unknown } | null)?.code) {
      case 'SQLITE_CONSTRAINT_UNIQUE':
        return { kind: 'unique' }
      case 'SQLITE_CONSTRAINT_FOREIGNKEY':
        return { kind: 'foreignKey' }
      case 'SQLITE_BUSY':
        return { kind: 'locked' }
      default:
        return genericDialect.classify(error)
    }
  },
}
