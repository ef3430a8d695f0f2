// Decimal digits as text: no digit is lost, none is added.
import * as fc from 'fast-check'
import {
  decimalDigits,
  decimalUnits,
  digitsOfUnits,
  printedDecimal,
  quotient,
  roundedFloat,
} from '../../../packages/core/src/dialect/shared/values/decimal.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('dialect/decimal', (test) => {
  const cases: readonly (readonly [text: string, scale: number, digits: string | undefined])[] = [
    ['12.5', 2, '12.50'],
    ['12', 2, '12.00'],
    ['12.500', 2, '12.50'],
    ['12.505', 2, '12.505'],
    ['-0.00', 2, '0.00'],
    ['-.5', 2, '-0.50'],
    ['5.', 0, '5'],
    ['007', 0, '7'],
    ['1e3', 1, '1000.0'],
    ['1.25e1', 2, '12.50'],
    ['1.5E-7', 2, '0.00000015'],
    ['123456789012345678901234567890.12', 2, '123456789012345678901234567890.12'],
    ['1e308', 0, `1${'0'.repeat(308)}`],
    ['5e-324', 0, `0.${'0'.repeat(323)}5`],
    ['1e999999999', 2, undefined],
    ['1e-999999999', 2, undefined],
    ['1e99999999999999999999', 2, undefined],
    ['NaN', 2, undefined],
    ['Infinity', 2, undefined],
    ['', 2, undefined],
    ['.', 2, undefined],
  ]
  for (const [text, scale, digits] of cases) {
    test(`"${text}" with scale ${scale} is ${digits}`, () =>
      equal(decimalDigits(text, scale), digits))
  }

  test('without a declared scale the digits of the database do not change', () => {
    equal(printedDecimal('1.500'), '1.500')
    equal(printedDecimal('15'), '15')
    equal(printedDecimal('NaN'), undefined)
  })

  test('digits become units, and units the same digits', () => {
    void fc.assert(
      fc.property(
        fc.bigInt(-(10n ** 30n), 10n ** 30n),
        fc.integer({ min: 0, max: 12 }),
        (units, scale) => {
          equal(decimalUnits(digitsOfUnits(units, scale), scale), units)
        },
      ),
    )
  })

  test('division rounds half away from zero', () => {
    const cases: readonly (readonly [sum: string, count: string, quotient: string])[] = [
      ['5', '2', '3'],
      ['-5', '2', '-3'],
      ['4', '3', '1'],
      ['-4', '3', '-1'],
      ['1', '2', '1'],
      ['1', '3', '0'],
      ['-1', '3', '0'],
      ['0', '7', '0'],
    ]
    for (const [sum, count, expected] of cases) equal(quotient(sum, count, 0, 0), expected)
    equal(quotient('10.00', '3', 2, 4), '3.333333')
    equal(quotient('-0.05', '1000', 2, 4), '-0.000050')
  })

  test('division is exact with few digits and with many', () => {
    void fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.bigInt(-(10n ** 30n), 10n ** 30n)),
        fc.oneof(fc.bigInt(1n, 1000n), fc.bigInt(1n, 10n ** 18n)),
        fc.integer({ min: 0, max: 6 }),
        (units, count, scale) => {
          const magnitude = (units < 0n ? -units : units) * 10_000n
          const rounded = (2n * magnitude + count) / (2n * count)
          const expected = digitsOfUnits(units < 0n ? -rounded : rounded, scale + 4)
          equal(quotient(digitsOfUnits(units, scale), String(count), scale, 4), expected)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('floats are rounded to twelve digits, and NaN is null', () => {
    equal(roundedFloat(0.1 + 0.2), 0.3)
    equal(roundedFloat(1e300 / 3), 3.33333333333e299)
    equal(Object.is(roundedFloat(-0), 0), true)
    equal(roundedFloat(Number.NaN), null)
    equal(roundedFloat(Number.POSITIVE_INFINITY), null)
  })
})
