// Decoders: convert the driver's values of selected columns to JSON values (decoderOf) and to texts in cursors (cursorDecoderOf), whatever
// JavaScript type the driver returns.

import { base64 } from '../../../lib/json/base64.ts'
import { canonicalJson } from '../../../lib/json/canonical.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { itemOf, listFromText } from '../json/list-text.ts'
import { exactDatetime, exactTime, isoDate, isoDatetime, isoTime } from './calendar-text.ts'
import { decimalDigits, printedDecimal, specialNumber } from './decimal.ts'

/** Converts a driver's value to JSON. */
export type Decoder = (raw: unknown) => JsonValue

// `ignoreBOM` keeps a byte order mark at the beginning of a text as part of it.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns the decoder of a column; NULL is null for every type. */
export function decoderOf(column: DialectColumn): Decoder {
  const read = readers[column.type](column)
  return (raw) => (raw === null || raw === undefined ? null : read(raw))
}

const readers: Readonly<Record<DialectColumn['type'], (column: DialectColumn) => Decoder>> = {
  integer: () => number,
  float: () => number,
  bigint: () => wholeText,
  decimal:
    ({ scale }) =>
    (raw) => {
      const text = textOf(raw)
      const digits = scale === undefined ? printedDecimal(text) : decimalDigits(text, scale)
      return digits ?? specialNumber(text) ?? null
    },
  boolean: () => boolean,
  string: () => textOf,
  text: () => textOf,
  enum: () => textOf,
  uuid: () => textOf,
  opaque: () => textOf,
  list: (column) => {
    const item = itemOf(column)
    const read = readers[item.type](item)
    return (raw) => listFromText(raw, read)
  },
  date: () => (raw) => isoDate(calendarText(raw)),
  datetime: () => (raw) => isoDatetime(calendarText(raw)),
  time: () => (raw) => isoTime(textOf(raw)),
  json: () => json,
  binary: () => (raw) => base64(bytesOf(raw)),
}

/** Infinities and NaN become null, because JSON has no such numbers. Adding zero turns -0 into 0. */
function number(raw: unknown): JsonValue {
  const value = typeof raw === 'number' ? raw : Number(textOf(raw))
  return Number.isFinite(value) ? value + 0 : null
}

function wholeText(raw: unknown): JsonValue {
  const text = textOf(raw)
  // A database without strict types may have stored a real number.
  return /^-?[0-9]+$/.test(text) ? text : (decimalDigits(text) ?? null)
}

function boolean(raw: unknown): JsonValue {
  if (typeof raw === 'boolean') return raw
  // Drivers return a `bit` column as bytes, or as the text `0` (0x30) or `1`.
  if (raw instanceof Uint8Array) return raw.some((byte) => byte !== 0 && byte !== 0x30)
  const text = String(raw).toLowerCase()
  return Number(text) !== 0 && text !== 'f' && text !== 'false'
}

function json(raw: unknown): JsonValue {
  const text =
    typeof raw === 'string' || raw instanceof Uint8Array ? textOf(raw) : JSON.stringify(raw)
  try {
    return canonicalJson(text)
  } catch {
    // A stored text that is not JSON becomes a JSON string, because an error would fail the whole page.
    return text
  }
}

/**
 * Returns the function that converts a driver's value, which is not NULL, to the text that cursors contain: with all digits that the
 * database compares, of which responses leave some out.
 */
export function cursorDecoderOf(column: DialectColumn, decode: Decoder): Decoder {
  const exact = exactTexts[column.type]
  return exact === false ? decode : (raw) => exact(String(raw))
}

/** Converts the selected text of a type to one with all digits; false if responses show all digits. */
const exactTexts: Readonly<Record<DialectColumn['type'], ((text: string) => string) | false>> = {
  integer: false,
  bigint: false,
  float: false,
  decimal: false,
  boolean: false,
  string: false,
  text: false,
  date: false,
  datetime: exactDatetime,
  time: exactTime,
  uuid: false,
  json: false,
  binary: false,
  enum: false,
  list: false,
  opaque: false,
}

/** Converts a driver value to text. */
export function textOf(raw: unknown): string {
  if (typeof raw === 'string') return raw
  return raw instanceof Uint8Array ? utf8.decode(raw) : String(raw)
}

function calendarText(raw: unknown): string {
  return raw instanceof Date ? raw.toISOString() : textOf(raw)
}

function bytesOf(raw: unknown): Uint8Array {
  if (raw instanceof Uint8Array) return raw
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw)
  if (Array.isArray(raw)) return Uint8Array.from(raw as number[])
  const text = String(raw)
  if (!text.startsWith('\\x')) return new TextEncoder().encode(text)
  const digits = text.slice(2).match(/../g) ?? []
  return Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16))
}

/** A uuid in lower case; another text unchanged. */
export const lowerUuid = (text: string): string =>
  text.length === 36 && /^[0-9A-Fa-f-]*$/.test(text) ? text.toLowerCase() : text
