// Removes zeros at the ends of a digit string in linear time; a pattern such as /0+$/ takes quadratic time.

const zero = 0x30

/** Removes trailing zeros; the result is empty if there are only zeros. */
export function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end -= 1
  return end === digits.length ? digits : digits.slice(0, end)
}

/** Removes leading zeros; the result is `0` if there are only zeros. */
export function withoutLeadingZeros(digits: string): string {
  let start = 0
  while (start < digits.length - 1 && digits.charCodeAt(start) === zero) start += 1
  return start === 0 ? digits : digits.slice(start)
}
