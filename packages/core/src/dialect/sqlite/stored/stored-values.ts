// Converts SQLite's stored values, in any of their formats, to JSON. A value that is not of its column's type is shown as its text.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { type JsonWriter, writerOfDecoder, writerOfTexts } from '../../shared/json/json-writer.ts'
import { isoDatetime } from '../../shared/values/calendar-text.ts'
import { decimalDigits, digitsOfUnits } from '../../shared/values/decimal.ts'
import { type Decoder, decoderOf, lowerUuid, textOf } from '../../shared/values/decode.ts'

/** Matches the usual formats, whose digits responses contain unchanged. */
const usual = /^(?!0000)\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z?$/

const dated =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?[ \t\n\v\f\r]*(?:[Zz]|([+-])(\d\d):(\d\d))?[ \t\n\v\f\r]*)?$/

/**
 * Converts stored text to `YYYY-MM-DDTHH:MM:SS.sssZ`; undefined if it is not a datetime. Reads what `instant` in `stored-forms.ts`
 * reads.
 */
function instantOf(text: string): string | undefined {
  if (usual.test(text)) return isoDatetime(text)
  const rest = text.slice(19).replace(/^[.\d]+/, '')
  const match = dated.exec(text.slice(0, 19) + zoneOf(rest))
  if (match === null) return undefined
  const group = (at: number): number => Number(match[at] ?? 0)
  const [month, day] = [group(2), group(3)]
  const [hour, minute, second] = [group(4), group(5), group(6)]
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 59)
    return undefined
  if (group(8) > 14 || group(9) > 59) return undefined
  const offset = (match[7] === '-' ? -1 : 1) * (group(8) * 60 + group(9))
  const moment = new Date(0)
  moment.setUTCFullYear(group(1), month - 1, day)
  const fraction = text
    .slice(20, text.length - rest.length)
    .padEnd(3, '0')
    .slice(0, 3)
  moment.setUTCHours(hour, minute - offset, second, Number(fraction))
  const iso = moment.toISOString()
  return /^(?!0000)\d{4}-/.test(iso) ? iso : undefined
}

/** `+01` → `+01:00`, `+0130` → `+01:30` */
function zoneOf(rest: string): string {
  if (rest.length === 3) return `${rest}:00`
  return rest.length === 5 ? `${rest.slice(0, 3)}:${rest.slice(3)}` : rest
}

/** The day of a date or datetime; undefined for any other text. */
const dayOf = (text: string): string | undefined =>
  /^(?!0000)\d{4}-\d\d-\d\d(?:$|[ T])/.test(text) ? text.slice(0, 10) : undefined

/** The time of a day, to the second; undefined for any other text. */
function timeOf(text: string): string | undefined {
  if (/^\d\d:\d\d:\d\d(?:$|[.Zz+ -])/.test(text)) return text.slice(0, 8)
  return /^\d\d:\d\d(?:$|[Zz+ -])/.test(text) ? `${text.slice(0, 5)}:00` : undefined
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1', '1.0'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0', '0.0'].map((text) => [text, false] as const),
])

/** Reads a boolean, a number or one of the words; undefined for any other value. */
function truthOf(raw: unknown): boolean | undefined {
  if (typeof raw === 'boolean') return raw
  if (typeof raw === 'number' || typeof raw === 'bigint') return Number(raw) !== 0
  return typeof raw === 'string' ? truths.get(raw.toLowerCase()) : undefined
}

/** Whether a number of JSON would round an integer of 64 bits, if the driver has not done so already. A larger number is a stored float. */
const isRounded = (raw: unknown): boolean =>
  (typeof raw === 'number' || typeof raw === 'bigint') &&
  Math.abs(Number(raw)) > Number.MAX_SAFE_INTEGER &&
  Math.abs(Number(raw)) <= 2 ** 63

const roundingMessage = ({ name }: DialectColumn): string =>
  `The column "${name}" contains an integer beyond 2^53-1, which a JSON number would round. Declare it with type: 'bigint'.`

/** A number, or the text of one as JSON writes it. */
const numeric = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Reads the stored values of a column; undefined for a value that is not of the type. */
type Read = (column: DialectColumn, isScaled: boolean) => (raw: unknown) => JsonValue | undefined

/** Writes the JSON text of a stored value, equal to the JSON of the value that `decode` returns. */
type Write = (column: DialectColumn, decode: Decoder) => JsonWriter

/** Reads the driver's value as text, by a function that reads texts. */
const readingText =
  (read: (text: string) => string | undefined) =>
  (raw: unknown): string | undefined =>
    read(textOf(raw))

export const readDatetime: Read = () => readingText(instantOf)
export const readDate: Read = () => readingText(dayOf)
export const readTime: Read = () => readingText(timeOf)
export const readUuid: Read = () => readingText(lowerUuid)
export const readBoolean: Read = () => truthOf
export const readBigint: Read = () =>
  readingText((text) => (/^-?\d+$/.test(text) ? text : decimalDigits(text)))

/** Reads an integer or a float. */
export const readNumber: Read = (column) => {
  const plain = decoderOf(column)
  const isWhole = columnTypes[column.type].number === 'whole'
  return (raw) => {
    if (raw instanceof Uint8Array) return undefined
    if (isWhole && isRounded(raw)) throw new RangeError(roundingMessage(column))
    return typeof raw !== 'string' || numeric.test(raw) ? plain(raw) : undefined
  }
}

export const readDecimal: Read = (column, isScaled) => {
  const { scale = 0 } = column
  if (!isScaled) return (raw) => decoderOf(column)(raw) ?? undefined
  return (raw) => {
    const text = textOf(raw)
    // `unitsOf` writes a number that is too large for units as a blob.
    if (raw instanceof Uint8Array) {
      return text.includes('.') ? decimalDigits(text, scale) : undefined
    }
    return /^-?\d+$/.test(text) ? digitsOfUnits(BigInt(text), scale) : undefined
  }
}

export const writeNumber: Write = (_, decode) => {
  const plain = writerOfDecoder(decode)
  return (raw) =>
    typeof raw === 'number' && Number.isFinite(raw) && !isRounded(raw) ? `${raw + 0}` : plain(raw)
}

export const writeDatetime: Write = (_, decode) =>
  writerOfTexts(
    (raw) => (typeof raw === 'string' ? instantOf(raw) : undefined),
    writerOfDecoder(decode),
  )

export const writeUuid: Write = (_, decode) =>
  writerOfTexts(
    (raw) => (typeof raw === 'string' && /^[0-9a-f-]*$/.test(raw) ? raw : undefined),
    writerOfDecoder(decode),
  )
