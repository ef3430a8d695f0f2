/** Comparison of decimal digits. */
import { compareDigits } from '../../../packages/core/src/lib/json/compare-digits.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('compareDigits', (test) => {
  const ascending = [
    '-100',
    '-99.5',
    '-99.05',
    '-0.1',
    '0',
    '0.00000000000000000001',
    '0.1',
    '9.99',
    '10',
    '9007199254740993.000000001',
    '9007199254740993.1',
  ]
  for (const [i, a] of ascending.entries()) {
    test(`${a} against ${ascending.length} others`, () =>
      equal(
        ascending.map((b) => Math.sign(compareDigits(a, b) ?? Number.NaN)),
        ascending.map((_, j) => Math.sign(i - j)),
      ))
  }

  test('zeros at the ends do not matter, nor the sign of zero', () => {
    equal([compareDigits('1.50', '01.5'), compareDigits('-0.00', '0')], [0, 0])
  })

  test('is undefined for anything but plain digits', () => {
    equal([compareDigits('NaN', '1'), compareDigits('1', '1e3')], [undefined, undefined])
  })
})
