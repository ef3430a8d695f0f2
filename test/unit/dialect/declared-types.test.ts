/** Types and collations in a database that stores them only as text. */

import { sqliteShape } from '../../../packages/core/src/catalogue/sqlite/sqlite-catalogue-types.ts'
import { sqliteCollations } from '../../../packages/core/src/dialect/sqlite/stored/collate-clauses.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('declared types', (test) => {
  for (const [declared, shape] of [
    ['INTEGER', { type: 'integer' }],
    ['integer unsigned', { type: 'integer' }],
    ['BIGINT UNSIGNED', { type: 'bigint' }],
    ['mediumint(9)', { type: 'integer' }],
    ['TINYINT(1)', { type: 'boolean' }],
    ['TINYINT', { type: 'integer' }],
    ['VARYING CHARACTER ( 70 )', { type: 'string', maxLength: 70 }],
    ['varchar', { type: 'string' }],
    ['NUMERIC(10, 2)', { type: 'decimal', precision: 10, scale: 2 }],
    ['DECIMAL(5)', { type: 'decimal', precision: 5, scale: 0 }],
    ['DECIMAL(15,15)', { type: 'decimal', precision: 15, scale: 15 }],
    ['DECIMAL(16,2)', { type: 'float' }],
    ['NUMERIC', { type: 'float' }],
    ['TEXT_DECIMAL(38,18)', { type: 'decimal', precision: 38, scale: 18, storage: 'text' }],
    ['DECIMAL_TEXT(38,18)', { type: 'decimal', precision: 38, scale: 18, storage: 'text' }],
    ['TIMESTAMP WITH TIME ZONE', { type: 'datetime' }],
    ['uniqueidentifier', { type: 'uuid' }],
    ['POINT', { type: 'integer' }],
    ['LONGVARCHAR(9)', { type: 'text' }],
    ['FLOATING', { type: 'float' }],
    ['MY BLOB', { type: 'binary' }],
  ] as const) {
    test(declared, () => equal(sqliteShape(declared).shape, shape))
  }

  test('the stored values decide if the name is unknown', () => {
    for (const [values, type] of [
      [['text'], 'text'],
      [['integer'], 'integer'],
      [['integer', 'real'], 'float'],
      [['blob'], 'binary'],
      [['integer', 'text'], 'opaque'],
      [[], 'opaque'],
    ] as const) {
      equal(sqliteShape('', new Set(values)).shape.type, type)
      equal(sqliteShape('MONEY', new Set(values)).shape.type, type)
    }
  })

  test('dates kept as numbers are served as numbers', () => {
    equal(sqliteShape('DATETIME', new Set(['integer'])).shape, { type: 'bigint' })
    equal(sqliteShape('DATE', new Set(['real'])).shape, { type: 'float' })
    equal(sqliteShape('DATETIME', new Set(['text', 'integer'])).shape, {
      type: 'opaque',
      readOnly: true,
    })
    equal(sqliteShape('DATETIME', new Set(['text'])).shape, { type: 'datetime' })
  })
})

suite('collations in a create table', (test) => {
  const read = (text: string): unknown => Object.fromEntries(sqliteCollations(text))

  test('are found by column, with any quoting', () => {
    equal(
      read(`CREATE TABLE "t, (" (
        a TEXT COLLATE NOCASE, [b c] varchar(10) not null collate 'RTRIM', "COLLATE" text,
        \`d\` text default 'x collate nocase, y' COLLATE "nocase", e decimal(10, 2),
        f text check (f collate nocase <> 'a'), -- g text collate nocase,
        h text /* collate nocase */ collate binary,
        "i""j" text collate nocase,
        constraint k unique (a collate nocase), check (a collate rtrim > ''))`),
      { a: 'NOCASE', 'b c': "'RTRIM'", d: 'NOCASE', h: 'BINARY', 'i"j': 'NOCASE' },
    )
  })

  test('are empty if there are none', () => {
    equal(read('create table t (a text, b text)'), {})
    equal(read(''), {})
  })
})
