// The length of a statement in which mysql2 has written the values: the server closes the connection if it exceeds max_allowed_packet.

import type { StatementText } from '../../shared/session/session-settings.ts'

/** The most bytes that a number, a boolean or NULL takes; they have no letters to escape. */
const otherValue = 32
/** The most bytes of a UTF-16 code unit in UTF-8; an escaped one has two. */
const perUnit = 3

/**
 * Whether the statement and its values, as literals, take `most` bytes or more. The text of values that a driver sends apart from the
 * statement is shorter, because nothing in it is escaped.
 */
export function isTooLong({ sql, parameters }: StatementText, most: number): boolean {
  let units = sql.length
  for (const value of parameters) units += lengthOf(value)
  // Few statements are so long that their bytes have to be counted.
  if (units * perUnit < most) return false
  if (units >= most) return true
  let bytes = bytesOf(sql)
  for (const value of parameters) {
    bytes += typeof value === 'string' ? literalBytes(value) : lengthOf(value)
  }
  // One byte is the command of the packet.
  return bytes + 1 >= most
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  // The literal is x'…', with two digits for each byte.
  return value instanceof Uint8Array ? 2 * value.length + 3 : otherValue
}

/** The bytes of a text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) bytes += beyondOne(text.charCodeAt(i))
  return bytes
}

/** The bytes of a text between quotes, with a backslash before each character that mysql2 escapes. */
function literalBytes(text: string): number {
  let bytes = text.length + 2
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    bytes += isEscaped(unit) ? 1 : beyondOne(unit)
  }
  return bytes
}

/** The bytes of a code unit in UTF-8 that exceed one. Each half of a surrogate pair has two of its four. */
function beyondOne(unit: number): number {
  if (unit < 0x80) return 0
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
}

const escaped: ReadonlySet<number> = new Set(
  Array.from('\0\b\t\n\r\u001a"\'\\', (character) => character.charCodeAt(0)),
)

const isEscaped = (unit: number): boolean => unit < 0x80 && escaped.has(unit)
