// Reads the text of a `bytea` value of PostgreSQL in both forms of the setting `bytea_output`. Unwrapped drivers parse it; `preparedPg` returns it as it is.

import { base64 } from '../../../lib/json/base64.ts'
import type { Decoder } from './decode.ts'

/** `\\` is a backslash, `\` with three octal digits is the byte with this number, and every other character is its own byte. */
const escaped = /\\(?:\\|[0-3][0-7]{2})/g

const byteOf = (text: string): string =>
  text === '\\\\' ? '\\' : String.fromCharCode(Number.parseInt(text.slice(1), 8))

/** Returns the decoder of a binary column; `decode` reads bytes, and the text of the form "hex", which begins with `\x`. */
export const byteaDecoder =
  (decode: Decoder): Decoder =>
  (raw) => {
    if (typeof raw !== 'string' || raw.startsWith('\\x')) return decode(raw)
    return base64(Uint8Array.from(raw.replace(escaped, byteOf), (byte) => byte.charCodeAt(0)))
  }
