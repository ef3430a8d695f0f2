/** The JSON form of a stored value, according to its type in the catalogue; written from the documentation, without the library. */
import type { DatabaseName } from '../support/databases.ts'
import { type Raw, textOf } from './client.ts'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

export function jsonOf(name: DatabaseName, type: string, raw: Raw): Json {
  if (raw === null) return null
  if (name === 'sqlite') return fromSqlite(type.toUpperCase(), raw)
  const text = textOf(raw) ?? ''
  return name === 'postgres' ? fromPostgres(type, text) : fromMysql(type, text, raw as Uint8Array)
}

/** The column, or an expression whose text shows the stored value. */
export function selected(name: DatabaseName, type: string, column: string): string {
  // The text of an inet includes its netmask, and that of a char has no spaces at the end.
  if (name === 'postgres') return /^(?:inet|character\()/.test(type) ? `${column}::text` : column
  if (name === 'sqlite') return column
  if (/^(?:point|geometry|polygon|linestring|multi|geomcoll)/.test(type))
    return `st_astext(${column})`
  if (/^bit\b/.test(type)) return `conv(${column} + 0, 10, 2)`
  return column
}

const finite = (text: string): number | null => {
  const number = Number(text)
  return Number.isFinite(number) ? number + 0 : null
}

function fromPostgres(type: string, text: string): Json {
  if (type.endsWith('[]') && !/range|json/.test(type))
    return arrayIn(text, (item) => fromPostgres(type.slice(0, -2), item))
  const [word = ''] = type.split('(')
  switch (word) {
    case 'smallint':
    case 'integer':
    case 'real':
    case 'double precision':
      return finite(text)
    case 'boolean':
      return text === 't'
    case 'date':
      return text
    case 'json':
    case 'jsonb':
      return JSON.parse(text)
    case 'bytea':
      return Buffer.from(text.slice(2), 'hex').toString('base64')
    default:
      if (/^timestamp/.test(type)) return farMoment(text.replace(/\+00(?= BC|$)/, ''))
      if (type === 'time without time zone' || /^time\(\d\) without/.test(type))
        return text.slice(0, 8)
      return text
  }
}

/** Years before 1 and after 9999 in the form of ISO 8601, with a sign and six digits; 1 BC is the year 0. */
function farMoment(text: string): string {
  const match = /^(\d+)(-.*?)( BC)?$/.exec(text)
  const [, digits = '', rest = '', era] = match ?? []
  if (match === null || (era === undefined && digits.length === 4)) return momentOf(text)
  const year = era === undefined ? Number(digits) : 1 - Number(digits)
  const usual = momentOf(`2000${rest}`).slice(4)
  const far = String(Math.abs(year)).padStart(6, '0')
  return year >= 0 && year <= 9999 ? far.slice(2) + usual : `${year < 0 ? '-' : '+'}${far}${usual}`
}

/** `2024-05-14 10:30:00.123456` → `2024-05-14T10:30:00.123Z`; a text of another form is unchanged. */
function momentOf(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?$/.exec(text)
  if (match === null) return text
  return `${match[1]}T${match[2]}.${(match[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`
}

/** `{a,"b c",NULL,{…}}` */
function arrayIn(text: string, item: (text: string) => Json): Json {
  let at = 0
  const list = (): Json[] => {
    const items: Json[] = []
    at += 1
    while (text[at] !== '}') {
      if (text[at] === '{') items.push(list())
      else if (text[at] === '"') {
        let own = ''
        for (at += 1; text[at] !== '"'; at += 1) {
          if (text[at] === '\\') at += 1
          own += text[at]
        }
        at += 1
        items.push(item(own))
      } else {
        const own = /^[^,}]*/.exec(text.slice(at))?.[0] ?? ''
        at += own.length
        items.push(own === 'NULL' ? null : item(own))
      }
      if (text[at] === ',') at += 1
    }
    at += 1
    return items
  }
  // Array bounds that do not begin with 1 precede the items, and are not served.
  at = text.indexOf('{')
  return list()
}

function fromMysql(type: string, text: string, bytes: Uint8Array): Json {
  const [word = ''] = type.split(/[( ]/)
  switch (word) {
    case 'tinyint':
      if (/^tinyint\(1\)(?! unsigned)/.test(type)) return text !== '0'
      return finite(text)
    case 'smallint':
    case 'mediumint':
    case 'int':
    case 'year':
    case 'float':
    case 'double':
      return finite(text)
    case 'bit': {
      const width = Number(/\d+/.exec(type)?.[0] ?? 1)
      return width === 1 ? text === '1' : text.padStart(width, '0')
    }
    case 'datetime':
    case 'timestamp':
      return momentOf(text)
    case 'time':
      return text.replace(/\..*/, '')
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      return Buffer.from(bytes).toString('base64')
    case 'json':
      return JSON.parse(text)
    default:
      return text
  }
}

/** The JSON form of a value of SQLite, which may have another type than its column. */
function fromSqlite(type: string, raw: Exclude<Raw, null>): Json {
  const [word = ''] = type.split('(')
  const isNumber = typeof raw === 'number' || typeof raw === 'bigint'
  const text = textOf(raw) ?? ''
  if (raw instanceof Uint8Array) {
    if (word !== '' && !/BLOB|BINARY/.test(word)) return text
    return /BLOB|BINARY/.test(word)
      ? Buffer.from(raw).toString('base64')
      : `X'${Buffer.from(raw).toString('hex').toUpperCase()}'`
  }
  switch (word.trim()) {
    case 'INTEGER':
    case 'INT':
    case 'SMALLINT':
    case 'INTEGER UNSIGNED':
    case 'SMALLINT UNSIGNED':
      // A text is not a number, even if it looks like one.
      return typeof raw === 'number' || (isNumber && Number.isSafeInteger(Number(raw)))
        ? Number(raw)
        : text
    case 'BIGINT':
    case 'BIGINT UNSIGNED':
      return text
    case 'REAL':
    case 'DOUBLE':
    case 'DOUBLE PRECISION':
    case 'FLOAT':
      return isNumber ? finite(text) : text
    case 'NUMERIC':
    case 'DECIMAL':
      if (!isNumber) return text
      return /,/.test(type) ? Number(raw).toFixed(Number(/,\s*(\d+)/.exec(type)?.[1])) : Number(raw)
    case 'BOOL':
    case 'BOOLEAN':
      if (isNumber) return Number(raw) !== 0
      return /^(?:t|true|y|yes|on|1)$/i.test(text)
        ? true
        : /^(?:f|false|n|no|off|0)$/i.test(text)
          ? false
          : text
    case 'DATE':
      return /^\d{4}-\d\d-\d\d(?:$|[ T])/.test(text) ? text.slice(0, 10) : text
    case 'DATETIME':
    case 'TIMESTAMP':
      return sqliteMoment(text)
    case 'TIME':
      if (/^\d\d:\d\d$/.test(text)) return `${text}:00`
      return /^\d\d:\d\d:\d\d/.test(text) ? text.slice(0, 8) : text
    case 'JSON':
      return parsed(text)
    // A text among bytes.
    case 'BLOB':
      return Buffer.from(text).toString('base64')
    case 'UUID':
      return /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(text) ? text.toLowerCase() : text
    // A column that a view computes has the type of its values.
    case 'COMPUTED':
      return isNumber ? Number(raw) : text
    default:
      return text
  }
}

function sqliteMoment(text: string): string {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (match === null) return text
  // Texts of the usual form are unchanged, even if the day does not exist.
  if (/^(?!0000)\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z?$/.test(text))
    return momentOf(text.replace('T', ' ').replace('Z', ''))
  const [, year, month, day, minutes = '00:00', seconds = ':00', fraction = '.0', zone = 'Z'] =
    match
  const moment = new Date(`${year}-${month}-${day}T${minutes}${seconds}${zone}`)
  if (Number.isNaN(moment.getTime()) || !isDay(`${year}-${month}-${day}`)) return text
  if (year === '0000') return text
  return moment.toISOString().replace('.000Z', `.${fraction.slice(1, 4).padEnd(3, '0')}Z`)
}

const isDay = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)

/** Whether a value has the usual form of its column type; SQLite may store others, which are served unchanged. */
export function isInForm(type: string, value: Json): boolean {
  const text = String(value)
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value)
    case 'float':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'bigint':
      return /^-?\d+$/.test(text)
    case 'decimal':
      return /^-?\d+(?:\.\d+)?$/.test(text)
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text)
    case 'datetime':
      return /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(text) && isDay(text.slice(0, 10))
    case 'time':
      return /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)
    // MySQL stores an empty text in place of one that is not a member.
    case 'enum':
      return text !== ''
    case 'uuid':
      return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
    default:
      return true
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
