// compareDigits: compares numbers by their decimal digits, exactly and in linear time. Limits of columns, such as `max: '99.99'`, are
// tested by it.

import { withoutEndZeros, withoutLeadingZeros } from './zeros.ts'

const form = /^(-?)([0-9]+)(?:\.([0-9]+))?$/

/**
 * Compares two numbers: negative, zero or positive, as for `sort`; undefined if one of the strings is not a plain decimal number.
 *
 * `compareDigits('10.50', '9.5')` → `1`
 */
export function compareDigits(a: string, b: string): number | undefined {
  const [first, second] = [parts(a), parts(b)]
  if (first === undefined || second === undefined) return undefined
  if (first.isNegative !== second.isNegative) return first.isNegative ? -1 : 1
  const larger =
    first.whole.length - second.whole.length ||
    byCode(first.whole, second.whole) ||
    byCode(first.fraction, second.fraction)
  return first.isNegative ? -larger : larger
}

const byCode = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

function parts(text: string) {
  const match = form.exec(text)
  if (match === null) return undefined
  const whole = withoutLeadingZeros(match[2] ?? '')
  const fraction = withoutEndZeros(match[3] ?? '')
  return { whole, fraction, isNegative: match[1] === '-' && `${whole}${fraction}` !== '0' }
}
