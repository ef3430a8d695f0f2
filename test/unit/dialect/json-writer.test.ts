/** The JSON text of a driver's value is that of the decoded value, whatever the driver returns. */
import { stringify } from '@model-api/core'
import fc from 'fast-check'
import { mysql } from '../../../packages/core/src/dialect/mysql/mysql-dialect.ts'
import { postgres } from '../../../packages/core/src/dialect/postgres/postgres-dialect.ts'
import { sqlite } from '../../../packages/core/src/dialect/sqlite/sqlite-dialect.ts'
import { equal, ok } from '../../support/assert.ts'
import { propertySeed } from '../../support/property.ts'
import { suite } from '../../support/suite.ts'

const dialects = [sqlite, postgres, mysql]

const columns = [
  ...(
    ['integer', 'float', 'bigint', 'boolean', 'string', 'text', 'date', 'datetime', 'time'] as const
  ).map((type) => ({ name: type, type, nullable: true })),
  ...(['uuid', 'enum', 'json', 'binary', 'decimal'] as const).map((type) => ({
    name: type,
    type,
    nullable: true,
  })),
  ...[0, 2, 6].map((scale) => ({
    name: `decimal ${scale}`,
    type: 'decimal' as const,
    nullable: true,
    scale,
    precision: 12,
  })),
]

const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'))
const calendar = fc
  .tuple(fc.integer({ min: 0, max: 12_000 }), two, two, two, two, two, fc.string({ maxLength: 8 }))
  .map(
    ([year, month, day, h, m, s, rest]) =>
      `${String(year).padStart(4, '0')}-${month}-${day} ${h}:${m}:${s}${rest}`,
  )
const digits = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.stringMatching(/^[0-9]{0,20}$/),
    fc.stringMatching(/^(?:\.[0-9]{0,8})?$/),
  )
  .map((parts) => parts.join(''))
const raw = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  fc.bigInt(),
  digits,
  calendar,
  calendar.map((text) => text.slice(0, 10)),
  calendar.map((text) => text.slice(11)),
  fc.uint8Array({ maxLength: 12 }),
  fc.date(),
  fc.json(),
  fc.constantFrom(
    't',
    'f',
    '0',
    '1',
    'NaN',
    'Infinity',
    '-0',
    '1e3',
    '0000-00-00',
    'infinity',
    '-infinity',
    '0044-03-15 BC',
    '\ud800',
    '"',
    '\\',
    '\u2028',
    '',
  ),
)

/** Returns the text, or that there is none: a value that cannot be decoded cannot be written. */
const attempt = (run: () => string): string => {
  try {
    return run()
  } catch (error) {
    return `throws ${(error as Error).constructor.name}`
  }
}

suite('JSON writers', (test) => {
  for (const dialect of dialects) {
    for (const column of columns) {
      test(`${dialect.name}: ${column.name}`, () => {
        const decode = dialect.decoder(column)
        const write = dialect.shortcuts?.writer?.(column, decode)
        ok(write !== undefined)
        fc.assert(
          fc.property(raw, (value) => {
            equal(
              attempt(() => write(value)),
              attempt(() => stringify(decode(value))),
            )
          }),
          { numRuns: 2_000, seed: propertySeed },
        )
      })
    }
  }

  test('usual forms are written directly', () => {
    const [sqlite] = dialects
    const column = { name: 'price', type: 'decimal' as const, nullable: false, scale: 2 }
    const write = sqlite?.shortcuts?.writer?.(column, sqlite.decoder(column))
    equal(
      [0, 5, 1250, -1250].map((units) => write?.(units)),
      ['"0.00"', '"0.05"', '"12.50"', '"-12.50"'],
    )
  })
})
