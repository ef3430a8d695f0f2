// plainJson: parses a body with JSON.parse, where that loses nothing of the text; a small part of the time of `json-text.ts`.

import type { JsonValue } from '../json/json-value.ts'
import { isWithinLimits } from './json-limits.ts'

/** In characters. V8 looks up long keys in time that grows with the square of their number, and JSON.parse refuses none. */
const longest = 2 ** 21

/** Texts that may be a key that is not allowed, or the escape of NUL or of half of a surrogate pair. */
const suspicious = ['"__proto__"', '"constructor"', '"prototype"', '\\u'] as const

/**
 * The value of a JSON text; undefined if the text is not JSON, exceeds a limit, has a problem, or says more than the value:
 * a repeated key, or digits that JavaScript would print in another way. All of these show, as `JSON.stringify` then makes
 * another text of the value.
 */
export function plainJson(text: string): JsonValue | undefined {
  if (text.length > longest || suspicious.some((part) => text.includes(part))) return undefined
  try {
    const value: JsonValue = JSON.parse(text)
    return isWithinLimits(value) && differsBySpace(text, JSON.stringify(value)) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is another one with space in it. The value of both is the same, so none of it can be inside a string. */
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
