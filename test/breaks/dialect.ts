/** Breaks of what differs between databases: comparison, values, failures, drivers. */
import type { Break } from './break.ts'

export const dialect: readonly Break[] = [
  {
    title: 'postgres.js stores the text of a JSON value as a JSON string',
    file: 'packages/core/src/dialect/postgres/dialect.ts',
    find: 'return sql`${jsonText(value)}::text::json`',
    replace: 'return jsonText(value)',
    fails: 'test/regression/json-bound-as-text.test.ts',
    databases: ['postgres'],
  },
  {
    title: 'SQLite: text is compared by whatever collation the column was declared with',
    file: 'packages/core/src/dialect/sqlite/operand.ts',
    find: "return isText(column) && column.collation !== 'database' ? sql`${ref} collate binary` : ref",
    replace: 'return ref',
    fails: 'test/dialect/indexes.test.ts',
  },
  {
    title: 'SQLite: decimals are added as floats',
    file: 'packages/core/src/dialect/sqlite/operand.ts',
    find: 'sql`cast(round(${ref} * ${natural(10 ** scale)}) as integer)`',
    replace: 'sql`(${ref} * ${natural(10 ** scale)})`',
    fails: 'test/dialect/aggregates.test.ts',
  },
  {
    title: 'MySQL: text is compared without regard to case and accents',
    file: 'packages/core/src/dialect/mysql/dialect.ts',
    find: 'isLoose(column) ? byCodePoint(column, ref) : ref',
    replace: 'ref',
    fails: 'test/dialect/order.test.ts',
    databases: ['mariadb'],
  },
  {
    title: 'PostgreSQL: text is ordered by the language of the server',
    file: 'packages/core/src/dialect/postgres/dialect.ts',
    find: "facts.collates(column) === 'codePoint' ? ref : byCodePoint(ref)",
    replace: "facts.collates(column) === 'codePoint' ? ref : ref",
    fails: 'test/dialect/order.test.ts',
    databases: ['postgres'],
  },
  {
    title: 'PostgreSQL: a bigint loses digits on its way',
    file: 'packages/core/src/dialect/postgres/dialect.ts',
    find: "return column.type === 'bigint' || column.type === 'decimal' ? String(value) : value",
    replace: "return column.type === 'bigint' || column.type === 'decimal' ? Number(value) : value",
    fails: 'test/dialect/operators.test.ts',
    databases: ['postgres'],
  },
  {
    title: 'PostgreSQL: a conflict of transactions is no reason to begin again',
    file: 'packages/core/src/dialect/postgres/errors.ts',
    find: "['retry', '40000', '40001', '40P01', '26000', '42P05'],",
    replace: "['retry', '40000', '40001', '26000', '42P05'],",
    fails: 'test/unit/dialect/classify.test.ts',
  },
  {
    title: 'MySQL: a server that takes no writes is a mistake of the client',
    file: 'packages/core/src/dialect/mysql/errors.ts',
    find: '...[1290, 1792, 1836],',
    replace: '...[1792, 1836],',
    fails: 'test/unit/dialect/classify.test.ts',
  },
  {
    title: 'A driver whose connection was lost is taken for a mistake of ours',
    file: 'packages/core/src/dialect/shared/driver-errors.ts',
    find: "  'ECONNRESET',\n",
    replace: '\n',
    fails: 'test/unit/dialect/classify.test.ts',
  },
  {
    title: 'A dialect without shortcuts reads one row of each list',
    file: 'packages/core/src/dialect/shared/row-count.ts',
    find: '?? sql`${count}`',
    replace: '?? sql`${Math.min(count, 1)}`',
    fails: 'test/parity/public-dialects.test.ts',
  },
]
