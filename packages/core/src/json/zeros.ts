// Zeros at the ends of digits, taken off in one pass: a pattern such as /0+$/ reads every run of zeros from each of its places.

const zero = 0x30

/** The digits without the zeros at their end; nothing is left of zeros alone. */
export function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end -= 1
  return end === digits.length ? digits : digits.slice(0, end)
}

/** The digits without the zeros at their beginning, but for the last of zeros alone. */
export function withoutLeadingZeros(digits: string): string {
  let start = 0
  while (start < digits.length - 1 && digits.charCodeAt(start) === zero) start += 1
  return start === 0 ? digits : digits.slice(start)
}
