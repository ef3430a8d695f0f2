// plainJson: parses a body with JSON.parse if no information of the text is lost, in a fraction of the time of `text/strict-json.ts`, which
// calls it first and parses the other bodies itself.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { isWithinLimits, prototypeKeys } from './text/json-limits.ts'

/**
 * The longest text to parse, in characters. V8 takes quadratic time for an object with many long keys, and JSON.parse does not
 * limit them.
 */
const longest = 2 ** 21

/**
 * The value of a JSON text; undefined if the text is not JSON, exceeds a limit, has a problem, or contains information that the
 * value loses: a repeated key, or digits that JavaScript prints differently. In all these cases, `JSON.stringify` of the value
 * gives another text.
 */
export function plainJson(text: string): JsonValue | undefined {
  // The escape may stand for NUL or a lone surrogate, which `readCarefully` reports.
  if (text.length > longest || text.includes('\\u')) return undefined
  try {
    const value: JsonValue = JSON.parse(text)
    const isPlain = isWithinLimits(value, 1, prototypeKeys)
    return isPlain && differsBySpace(text, JSON.stringify(value)) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is the compact text with more whitespace. Both parse to the same value, so the whitespace is not inside a string. */
function differsBySpace(text: string, compact: string): boolean {
  if (text === compact) return true
  let next = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === compact.charCodeAt(next)) next += 1
    else if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false
  }
  return next === compact.length
}
