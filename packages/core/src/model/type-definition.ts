// TypeDefinition: everything about a column type that holds on every database (`dialect` has what differs). `types/` has a file for each kind of
// column, and `column-types.ts` the table of all types. The canonical form of a value is the one spelling of it that responses show and that policies,
// hooks and the database receive: of `"2024-05-14 12:30+02:00"` it is `"2024-05-14T10:30:00.000Z"`. At the end are members that several types have
// in common.

import type { JsonValue } from '../lib/json/json-value.ts'
import type { Expectation } from '../lib/problems/expectation.ts'
import type { Column, ColumnType, ItemType } from './column.ts'

/** Values that a column of a database may contain besides those of the usual form of its type, such as PostgreSQL's `infinity`. */
export interface SpecialValues {
  /** Converts the text of such a value; undefined for any other text. */
  readonly read: (text: string) => string | bigint | undefined
  /** Whether only responses and cursors contain the value: no filter, no key and no new value may be it. Default: none. */
  readonly isOnlyShown?: (text: string) => boolean
  /** A regular expression that matches the texts of these values. */
  readonly pattern: string
}

/** The properties of a column, or of an aggregate's result, on which the conversion of values depends. */
export interface TypedColumn {
  readonly type: ColumnType
  readonly precision?: number
  readonly scale?: number
  readonly enum?: readonly string[]
  readonly items?: ItemType
  readonly special?: SpecialValues
}

/** A value that a query names: in its JSON form, except that a bigint is a `bigint`. */
type QueryValue = string | number | bigint | boolean

/** The value of a text, or a description of what was expected instead. */
export type Conversion = { readonly value: QueryValue } | { readonly expected: Expectation }

/** The value of a body in canonical form, or a description of what was expected instead. */
export type Converted = { readonly value: JsonValue } | Unexpected

/** What was expected of a wrong value, for the problem in the response. */
export interface Unexpected {
  readonly expected: Expectation
  /** In a list: what was expected of each wrong item, by its path in the list, such as `[3]`; absent if the list itself is wrong. */
  readonly items?: ReadonlyMap<string, Expectation>
}

/** Converts a text as filters do, also one of a special value of the database such as `infinity`; a bigint becomes a string again. */
export type ReadText = (column: TypedColumn, text: string) => Converted

/** The options of columns that only some types have. */
export type TypeOption = keyof Pick<
  Column,
  | 'items'
  | 'enum'
  | 'maxLength'
  | 'minLength'
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'unsigned'
  | 'precision'
  | 'scale'
  | 'storage'
  | 'collation'
  | 'managed'
  | 'json'
>

/** The keywords of JSON Schema that describe the values of a type. */
export type TypeSchema = {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly format?: string
  readonly pattern?: string
  readonly contentEncoding?: string
}

/** A column type. No member is optional, so that a new type decides each of them. */
export interface TypeDefinition {
  /** The JSON type of the values; `any` if they may have each. */
  readonly json: 'string' | 'number' | 'boolean' | 'array' | 'any'
  /** What kind of number the values are: without a fraction, with exact digits, or a rounded one. False for other values. */
  readonly number: 'whole' | 'exact' | 'approximate' | false
  /** The texts in which filters such as `like` search: any, or only those that the model lists (`listed`). False: the values are not searched. */
  readonly text: 'any' | 'listed' | false
  /**
   * How the values are compared. `ordered`: in every way. `equal`: without ranges, pages by keysets, `min` and `max`. `none`: they are in no
   * filter, order, group or key.
   */
  readonly comparison: 'ordered' | 'equal' | 'none'
  /** The value for a time, as of the clock: for `managed`, soft delete and dates in scopes. False for types that are no calendar dates. */
  readonly fromClock: ((iso: string) => string) | false
  /** Whether a value in JSON may stand for a range of stored values, such as the microseconds of a millisecond. */
  readonly standsForRange: boolean
  /** Whether responses leave out digits that the database stores, so that a value copied from one may equal none. */
  readonly responsesLoseDigits: boolean
  /** Whether the JSON shows every detail of the stored value. A datetime has milliseconds in JSON, and may have microseconds in the database. */
  readonly isShownInFull: boolean
  /** Whether equal values of bodies have the same JSON: not `12.5` and `12.50`. */
  readonly hasOneJsonForm: boolean
  /** Whether equal values of keys have the same text: a decimal may have more zeros, and a time more digits. */
  readonly hasOneKeyText: boolean
  /** Whether a text of the service's own UUIDs can be stored. */
  readonly holdsUuid: boolean
  /** Whether clients can only read the values. */
  readonly isOnlyRead: boolean
  /** Which secrets can be stored: any, PINs and codes of digits, or none. */
  readonly secrets: 'any' | 'digits' | 'none'
  /** The options that columns of this type can have, among those that only some types have. */
  readonly options: readonly TypeOption[]

  /** Reads a string of the query or the path. Types that no query and no path can hold (`comparison: 'none'`) return it unchanged. */
  readonly fromText: (text: string, column: TypedColumn) => Conversion
  /**
   * Converts a value of a body to its canonical form. It must have the JSON type of its column: no string for a number, no object for a
   * string. Exact numbers are strings, or JSON numbers with so few digits that JSON parsers do not round them. A type whose bodies have the
   * same texts as filters converts them by `read`, which also knows the special values of the column.
   */
  readonly fromJson: (json: JsonValue, column: TypedColumn, read: ReadText) => Converted
  /** Returns a quick test for values that `fromJson` would return unchanged: true means unchanged, and false means unknown. */
  readonly canonicalTest: (column: TypedColumn) => (json: JsonValue) => boolean
  /** Whether a value of a declaration, such as a default, is one of the type, NULL aside. */
  readonly fits: (value: unknown, column: TypedColumn) => boolean
  /** Converts a string in canonical JSON to the value that `fromText` returns for it: `'3.50'` → `'3.5'`. */
  readonly queryValue: (json: string) => QueryValue
  /** Writes a value of a key as the URLs in responses have it: `'3.5'` → `'3.50'`. */
  readonly pathText: (text: string, column: TypedColumn) => string
  /**
   * Reads the text that cursors have for a value; undefined for any other text. `asFilters`: cursors have the texts that filters have, so that
   * `fromText` reads them.
   */
  readonly fromCursor: ((text: string) => string | undefined) | 'asFilters'

  /** The schema of the values, as responses show them. */
  readonly schema: TypeSchema
  /** An example value for documents; undefined if the type alone is clear. */
  readonly example: (column: TypedColumn) => JsonValue | undefined
  /** Whether tools that only know the schema invent valid values. */
  readonly hasPlainSchema: boolean
}

/** A test that knows nothing: each value is converted. */
export const neverCanonical = (): (() => boolean) => () => false

/** Converts a value of a body whose canonical form is a string that filters take, too. */
export const fromString: TypeDefinition['fromJson'] = (json, column, read) =>
  // NUL is invalid in these types, so that converting it gives the description of what the type expects.
  read(column, typeof json === 'string' ? json : '\u0000')

export const isString = (value: unknown): value is string => typeof value === 'string'

/** Leaves a text as it is. */
export const sameText = (text: string): string => text
