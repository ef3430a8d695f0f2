// Names of introspected models: database names → names of models, fields and relations that follow the rules of the library (`invoice_lines` →
// `InvoiceLine`, `ArtistId` → the relation `artist`). Only this file derives singulars.

import pluralize from 'pluralize'
import { toCase } from '../../lib/naming/case.ts'
import { transliterate } from '../../lib/naming/transliterate.ts'
import {
  aggregateFunctions,
  filterOperators,
  operatorAliases,
} from '../../model/query-words/operators.ts'
import { endpointNames } from '../../model/registry/endpoint-name.ts'
import { badColumnName, badFieldName, badRelationName } from '../../model/registry/field-name.ts'

const suffixes = [
  ...Object.keys(filterOperators),
  ...Object.keys(operatorAliases),
  ...aggregateFunctions,
].join('|')

/** The underscores before a suffix that the query language would parse as a filter or an aggregate, such as those of `price__gt`. */
const filterSuffix = new RegExp(`__(?=(?:${suffixes})$)`)

/** Words that stay as they are: Latin plurals whose singular nobody uses for a table, and abbreviations that end with an s. */
const keptWords = new Set(
  'data media metadata aws cms css crs dms dns gas gis gps ios lms mms nas os pos sms srs tls ups'.split(
    ' ',
  ),
)

/** Returns the first free candidate, otherwise the last candidate, which must be a valid name, with a number appended. */
export function firstFree(
  candidates: readonly string[],
  isFree: (candidate: string) => boolean,
): string {
  const free = candidates.find(isFree)
  if (free !== undefined) return free
  const last = candidates.at(-1) ?? ''
  for (let number = 2; ; number++) {
    if (isFree(`${last}_${number}`)) return `${last}_${number}`
  }
}

/** Returns the name if it has letters other than Latin ones, which the names of models and fields cannot have; otherwise undefined. */
export const inOtherAlphabet = (name: string): string | undefined =>
  /[^\p{ASCII}\p{Script=Latin}]/u.test(name) ? name : undefined

const isFieldName = (name: string): boolean =>
  (badFieldName(name) ?? badColumnName(name)) === undefined

/**
 * Returns field names for the columns of one table: the database's names, changed only where the rules require it.
 *
 * `x__eq` → `x_eq`, `unit price` → `unit_price`, `2nd` → `_2nd`.
 */
export function fieldNames(columns: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>(columns.filter(isFieldName))
  for (const column of columns) {
    if (isFieldName(column)) {
      names.set(column, column)
      continue
    }
    const name = firstFree([renamedField(column)], (text) => !taken.has(text) && isFieldName(text))
    taken.add(name)
    names.set(column, name)
  }
  return names
}

/** Returns a name for a column whose own name breaks the rules; `fieldNames` adds a number if it is taken. */
function renamedField(column: string): string {
  // Underscores at both ends stand for other characters: `(price)` → `price`.
  let name = transliterate(column).replace(/(?<=[A-Za-z0-9])_+$|^_+(?=[A-Za-z0-9])/g, '')
  while (filterSuffix.test(name)) name = name.replace(filterSuffix, '_')
  if (/^_*$/.test(name)) return 'column'
  if (!/^[0-9]/.test(name) && !isFieldName(name)) return `${name}_column`
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** Returns the singular of a word if the plural of that singular is the word again; otherwise the word. */
function singular(word: string): string {
  if (keptWords.has(word)) return word
  const guess = pluralize.singular(word)
  return pluralize.plural(guess) === word ? guess : word
}

/** A plural of capital letters, which is one word: the `URLs` of `UserURLs`. */
const abbreviations = /([A-Z])([A-Z]+)s(?![a-z])/g

/** Converts a database name to snake case with its last word in the singular: `InvoiceLines` → `invoice_line`, `URLs` → `url`. */
export function singularSnake(name: string): string {
  const written = transliterate(name).replace(
    abbreviations,
    (_, first: string, others: string) => `${first}${others.toLowerCase()}s`,
  )
  const words = toCase(written, 'snake').split('_')
  const last = words.pop() ?? ''
  return [...words, singular(last)].join('_')
}

/** A table to be named: `name` is unique; with several schemas, `place` has its schema. */
export interface NamedTable {
  readonly name: string
  readonly place?: { readonly schema: string; readonly table: string }
}

/**
 * Returns the model name of each table, so that no two models have the same endpoint. If two schemas have a table of the same
 * name, the second model gets the schema as a prefix: `User`, `BillingUser`.
 */
export function modelNames(tables: readonly NamedTable[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  // The paths that the default settings give; a configuration of another case changes all of them alike.
  const endpoints = (name: string): readonly string[] => endpointNames(name, {}, 'kebab').paths
  for (const { name: table, place } of tables) {
    const plain = modelName(place?.table ?? table)
    const isTaken = endpoints(plain).some((path) => taken.has(path))
    const base =
      isTaken && place !== undefined ? modelName(`${place.schema}_${place.table}`) : plain
    let name = base
    for (let number = 2; endpoints(name).some((path) => taken.has(path)); number++) {
      name = `${base}${number}`
    }
    for (const path of endpoints(name)) taken.add(path)
    names.set(table, name)
  }
  return names
}

/** `invoice_lines` → `InvoiceLine`, `2024 sales` → `Table2024Sale`. */
export function modelName(table: string): string {
  const word = toCase(singularSnake(table), 'pascal').replace(/_/g, '')
  return /^[A-Za-z]/.test(word) ? word : `Table${word}`
}

/** Last words that always mean a key, so that what precedes them names the record, whatever the target is called. */
const surrogateWords = /^(?:id|fk|key|uuid|guid)$/

/** Whether a relation can have this name. */
export function isRelationName(name: string): boolean {
  return (badFieldName(name) ?? badRelationName(name)) === undefined
}

/** Last words that mean a key if the target's name precedes them: `customer_no` → `customer`. Elsewhere they may be a property. */
const keyWords = /^(?:id|fk|key|uuid|guid|no|nr|num|number|code)$/

/**
 * Returns the part of a foreign key's column name that names the related record. `referenced` is the column of the target, `target`
 * the target's name in the singular. Empty if the column has the same name as the key, as `emp_no` to `emp_no` has.
 *
 * `ArtistId` → `artist`, `country_code` to `code` → `country`, `reports_to` → `reports_to`,
 * `original_language_id` to `language_id` → `original_language`, `billtoaddressid` to `addressid` → `billto_address`
 */
export function keyStem(column: string, referenced: string, target: string): string {
  const words = wordsOf(column)
  const key = wordsOf(referenced)
  const name = target.split('_')
  if (words.join('') === key.join('')) return ''
  // If the key's name begins with the target's (`language_id` of a language), that part is kept.
  const named = name.findIndex((_, i) => startsWith(key, name.slice(i)))
  const ending = named < 0 ? key : key.slice(name.length - named)
  if (ending.length > 0 && words.length > ending.length && endsWith(words, ending)) {
    return words.slice(0, -ending.length).join('_')
  }
  if (words.length === 1) return runTogether(words[0] ?? '', key.join(''), target)
  const isKeyWord = surrogateWords.test(words.at(-1) ?? '')
  const saysTarget = keyWords.test(words.at(-1) ?? '') && endsWith(words.slice(0, -1), name)
  return (isKeyWord || saysTarget ? words.slice(0, -1) : words).join('_')
}

/**
 * Returns the part of the column names of a composite foreign key that names the related record: what all of them say before the
 * names of the target's columns. Empty if they say different things or nothing.
 *
 * `param1_uom_auth_name`, `param1_uom_code` to `auth_name`, `code` → `param1_uom`
 */
export function compositeStem(
  columns: readonly string[],
  references: readonly string[],
  target: string,
): string {
  const [stem = '', ...more] = columns.map((column, i) =>
    keyStem(column, references[i] ?? '', target),
  )
  return more.every((other) => other === stem) ? stem : ''
}

const wordsOf = (name: string): readonly string[] => toCase(transliterate(name), 'snake').split('_')

const startsWith = (words: readonly string[], first: readonly string[]): boolean =>
  first.every((word, i) => words[i] === word)

const endsWith = (words: readonly string[], last: readonly string[]): boolean =>
  last.length <= words.length && startsWith(words.slice(words.length - last.length), last)

/** Returns the part that names the related record, for a column name without separators: `productid`, `billtoaddressid`. */
function runTogether(word: string, key: string, target: string): string {
  const name = target.replaceAll('_', '')
  const at = word.lastIndexOf(name)
  const rest = word.slice(at + name.length)
  if (at >= 0 && (rest === key || name + rest === key || keyWords.test(rest))) {
    return at === 0 ? '' : `${word.slice(0, at)}_${target}`
  }
  return keyWords.test(word) ? '' : word
}
