// Converts driver values to JSON text: the same text as `stringify(decode(raw))`, without decoding values in their usual format.

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

/** Returns a writer that puts the text of `inside` between quotes. If `inside` returns undefined, `plain` writes the value. */
export const writerOfTexts = (
  inside: (raw: unknown) => string | undefined,
  plain: JsonWriter,
): JsonWriter => {
  const write = (raw: unknown): string => {
    const text = inside(raw)
    return text === undefined ? plain(raw) : `"${text}"`
  }
  return Object.assign(write, { inside })
}

/** Returns the writer for a column that `decoderOf` decodes. */
export function writerOf(column: DialectColumn, decode: Decoder): JsonWriter {
  const plain = writerOfDecoder(decode)
  switch (column.type) {
    case 'integer':
    case 'float':
      return (raw) => {
        const value = typeof raw === 'string' ? Number(raw) : raw
        return typeof value === 'number' && Number.isFinite(value) ? `${value + 0}` : plain(raw)
      }
    case 'string':
    case 'text':
    case 'enum':
    case 'uuid':
    case 'opaque':
      return writerOfTexts(
        (raw) => (typeof raw === 'string' ? insideQuotes(raw) : undefined),
        plain,
      )
    case 'boolean':
      return (raw) => {
        if (raw === 't' || raw === 1 || raw === true) return 'true'
        return raw === 'f' || raw === 0 || raw === false ? 'false' : plain(raw)
      }
    case 'decimal':
      return column.scale === undefined ? plain : whereUsual(usualDecimal(column.scale), plain)
    case 'bigint':
      return whereUsual(/^-?[0-9]+$/, plain)
    case 'date':
      return whereUsual(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, plain)
    case 'datetime':
      return writerOfTexts((raw) => (typeof raw === 'string' ? isoDatetime(raw) : undefined), plain)
    default:
      return plain
  }
}

/** Matches decimals without a sign that already have the column's scale. */
const usualDecimal = (scale: number): RegExp =>
  scale === 0 ? /^(?:0|[1-9][0-9]*)$/ : new RegExp(`^(?:0|[1-9][0-9]*)\\.[0-9]{${scale}}$`)

/** Writes strings that match `usual` unchanged between quotes. */
const whereUsual = (usual: RegExp, plain: JsonWriter): JsonWriter =>
  writerOfTexts((raw) => (typeof raw === 'string' && usual.test(raw) ? raw : undefined), plain)
