// Decimal digits as text: no digit lost, no digit made up.
import * as fc from 'fast-check'
import {
  decimalDigits,
  dividedHalfUp,
  printedDecimal,
  roundedFloat,
  scaled,
  unscaled,
} from '../../../packages/core/src/dialect/decimal.ts'
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
    ['NaN', 2, undefined],
    ['Infinity', 2, undefined],
    ['', 2, undefined],
    ['.', 2, undefined],
  ]
  for (const [text, scale, digits] of cases) {
    test(`"${text}" with scale ${scale} is ${digits}`, () =>
      equal(decimalDigits(text, scale), digits))
  }

  test('without a declared scale the database’s own print stays', () => {
    equal(printedDecimal('1.500'), '1.500')
    equal(printedDecimal('15'), '15')
    equal(printedDecimal('NaN'), undefined)
  })

  test('scaled and unscaled are inverse', () => {
    void fc.assert(
      fc.property(
        fc.bigInt(-(10n ** 30n), 10n ** 30n),
        fc.integer({ min: 0, max: 12 }),
        (units, scale) => {
          equal(scaled(unscaled(units, scale), scale), units)
        },
      ),
    )
  })

  test('division rounds half away from zero', () => {
    const cases: readonly (readonly [bigint, bigint, bigint])[] = [
      [5n, 2n, 3n],
      [-5n, 2n, -3n],
      [4n, 3n, 1n],
      [-4n, 3n, -1n],
      [1n, 2n, 1n],
      [1n, 3n, 0n],
      [0n, 7n, 0n],
    ]
    for (const [dividend, divisor, quotient] of cases)
      equal(dividedHalfUp(dividend, divisor), quotient)
  })

  test('floats are rounded to twelve digits, and what is no number is null', () => {
    equal(roundedFloat(0.1 + 0.2), 0.3)
    equal(roundedFloat(1e300 / 3), 3.33333333333e299)
    equal(Object.is(roundedFloat(-0), 0), true)
    equal(roundedFloat(Number.NaN), null)
    equal(roundedFloat(Number.POSITIVE_INFINITY), null)
  })
})
