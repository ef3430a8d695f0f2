// Names: database names → model and field names that follow the rules of the library; the only place that derives singulars.

import pluralize from 'pluralize'
import { toCase } from '../naming/case.ts'
import { aggregateFunctions, filterOperators, operatorAliases } from '../parse/operators.ts'
import { endpointNames } from '../registry/endpoint-name.ts'
import { badFieldName, badRelationName } from '../registry/field-name.ts'
import { transliterate } from './transliterate.ts'

const suffixes = [
  ...Object.keys(filterOperators),
  ...Object.keys(operatorAliases),
  ...aggregateFunctions,
].join('|')

/** Suffixes that the query language would parse as a filter or an aggregate. */
const filterSuffix = new RegExp(`__(?=(?:${suffixes})$)`)

/** Latin plurals whose singular nobody uses for a table. */
const keptPlurals = new Set(['data', 'media', 'metadata'])

/** The first of `candidates` that is free, else the last one numbered; so the last one must be a name at all. */
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

const isFieldName = (name: string): boolean => badFieldName(name) === undefined

/**
 * Field names for the columns of one table: the database's own, renamed only where the rules demand it.
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

function renamedField(column: string): string {
  let name = transliterate(column).replace(/(?<=[A-Za-z0-9])_+$|^_+(?=[A-Za-z0-9])/g, '')
  while (filterSuffix.test(name)) name = name.replace(filterSuffix, '_')
  if (/^_*$/.test(name)) return 'column'
  if (!/^[0-9]/.test(name) && !isFieldName(name)) return `${name}_column`
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** The singular of a word, only where pluralising it leads back to the word. */
function singular(word: string): string {
  if (keptPlurals.has(word)) return word
  const guess = pluralize.singular(word)
  return pluralize.plural(guess) === word ? guess : word
}

/** A database name in snake case with its last word in the singular: `InvoiceLines` → `invoice_line`. */
export function singularSnake(name: string): string {
  const words = toCase(transliterate(name), 'snake').split('_')
  const last = words.pop() ?? ''
  return [...words, singular(last)].join('_')
}

/** A table to be named: `name` is unique, and of several schemas `place` tells its own. */
export interface NamedTable {
  readonly name: string
  readonly place?: { readonly schema: string; readonly table: string }
}

/**
 * Model names by table, without two that would answer at the same endpoint. Of two tables with the same name in two schemas,
 * the second has the name of its schema before it: `User`, `BillingUser`.
 */
export function modelNames(tables: readonly NamedTable[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
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

/** Whether a relation may have this name beside the existing fields and relations. */
export function isRelationName(name: string): boolean {
  return isFieldName(name) && badRelationName(name) === undefined
}

/** Last words of keys: what remains of `customer_no` is the name of the record. */
const keyWords = /^(?:id|fk|key|uuid|guid|no|nr|num|number|code)$/

/**
 * What a foreign key's column says of the record it points to. `referenced` is the column of the target, `target` the
 * target's name in the singular. Empty where it says nothing but the key's own name, as `emp_no` to `emp_no` does.
 *
 * `ArtistId` → `artist`, `country_code` to `code` → `country`, `reports_to` → `reports_to`,
 * `original_language_id` to `language_id` → `original_language`, `billtoaddressid` to `addressid` → `billto_address`
 */
export function keyStem(column: string, referenced: string, target: string): string {
  const words = wordsOf(column)
  const key = wordsOf(referenced)
  const name = target.split('_')
  if (words.join('') === key.join('')) return ''
  // The key's name may begin with the target's (`language_id` of a language), which then stays.
  const named = name.findIndex((_, i) => startsWith(key, name.slice(i)))
  const ending = named < 0 ? key : key.slice(name.length - named)
  if (ending.length > 0 && words.length > ending.length && endsWith(words, ending)) {
    return words.slice(0, -ending.length).join('_')
  }
  if (words.length === 1) return runTogether(words[0] ?? '', key.join(''), target)
  const isKeyWord = /^(?:id|fk|key|uuid|guid)$/.test(words.at(-1) ?? '')
  const saysTarget = keyWords.test(words.at(-1) ?? '') && endsWith(words.slice(0, -1), name)
  return (isKeyWord || saysTarget ? words.slice(0, -1) : words).join('_')
}

const wordsOf = (name: string): readonly string[] => toCase(transliterate(name), 'snake').split('_')

const startsWith = (words: readonly string[], first: readonly string[]): boolean =>
  first.every((word, i) => words[i] === word)

const endsWith = (words: readonly string[], last: readonly string[]): boolean =>
  last.length <= words.length && startsWith(words.slice(words.length - last.length), last)

/** The same for a name without a sign between its words: `productid`, `billtoaddressid`. */
function runTogether(word: string, key: string, target: string): string {
  const name = target.replaceAll('_', '')
  const at = word.lastIndexOf(name)
  const rest = word.slice(at + name.length)
  if (at >= 0 && (rest === key || name + rest === key || keyWords.test(rest))) {
    return at === 0 ? '' : `${word.slice(0, at)}_${target}`
  }
  return keyWords.test(word) ? '' : word
}
