// JsonWriter: converts driver values to JSON text: the same text as `stringify(decode(raw))`, but without decoding values in their usual
// format, because responses consist mostly of these.

import { insideQuotes } from '../../../lib/json/quoted.ts'
import { stringify } from '../../../lib/json/stringify.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { isoDatetime } from '../values/calendar-text.ts'
import type { Decoder } from '../values/decode.ts'

/** Converts a selected value that is not NULL to JSON text. */
export interface JsonWriter {
  (raw: unknown): string
  /** Returns the text between the quotes if the value is a string in its usual format; saves concatenating the quotes. */
  readonly inside?: (raw: unknown) => string | undefined
}

/** Returns the writer for any decoder. */
export const writerOfDecoder =
  (decode: Decoder): JsonWriter =>
  (raw) =>
    stringify(decode(raw))

/** Returns a writer that puts the text of `inside` between quotes. If `inside` returns undefined, `fallback` writes the value. */
export const writerOfTexts = (
  inside: (raw: unknown) => string | undefined,
  fallback: JsonWriter,
): JsonWriter => {
  const write = (raw: unknown): string => {
    const text = inside(raw)
    return text === undefined ? fallback(raw) : `"${text}"`
  }
  return Object.assign(write, { inside })
}

/** Returns the writer for a column that `decoderOf` decodes. */
export const writerOf = (column: DialectColumn, decode: Decoder): JsonWriter =>
  writers[column.type](writerOfDecoder(decode), column)

/** Makes the writer of a column; `fallback` writes values that are not in their usual format. */
type WriterOf = (fallback: JsonWriter, column: DialectColumn) => JsonWriter

const numberWriter: WriterOf = (fallback) => (raw) => {
  const value = typeof raw === 'string' ? Number(raw) : raw
  return typeof value === 'number' && Number.isFinite(value) ? `${value + 0}` : fallback(raw)
}

const textWriter: WriterOf = (fallback) =>
  writerOfTexts((raw) => (typeof raw === 'string' ? insideQuotes(raw) : undefined), fallback)

const fallbackOnly: WriterOf = (fallback) => fallback

const writers: Readonly<Record<DialectColumn['type'], WriterOf>> = {
  integer: numberWriter,
  float: numberWriter,
  string: textWriter,
  text: textWriter,
  enum: textWriter,
  uuid: textWriter,
  opaque: textWriter,
  boolean: (fallback) => (raw) => {
    if (raw === 't' || raw === 1 || raw === true) return 'true'
    return raw === 'f' || raw === 0 || raw === false ? 'false' : fallback(raw)
  },
  decimal: (fallback, { scale }) =>
    scale === undefined ? fallback : whereUsual(usualDecimal(scale), fallback),
  bigint: (fallback) => whereUsual(/^-?[0-9]+$/, fallback),
  date: (fallback) => whereUsual(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, fallback),
  datetime: (fallback) =>
    writerOfTexts((raw) => (typeof raw === 'string' ? isoDatetime(raw) : undefined), fallback),
  time: fallbackOnly,
  json: fallbackOnly,
  binary: fallbackOnly,
  list: fallbackOnly,
}

/** Matches decimals without a sign that already have the column's scale. */
const usualDecimal = (scale: number): RegExp =>
  scale === 0 ? /^(?:0|[1-9][0-9]*)$/ : new RegExp(`^(?:0|[1-9][0-9]*)\\.[0-9]{${scale}}$`)

/** Writes strings that match `usual` unchanged between quotes. */
const whereUsual = (usual: RegExp, fallback: JsonWriter): JsonWriter =>
  writerOfTexts((raw) => (typeof raw === 'string' && usual.test(raw) ? raw : undefined), fallback)
