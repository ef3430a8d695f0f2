// Names: database names → model and field names that follow the rules of the library; the only place that derives singulars.

import pluralize from 'pluralize'
import { toCase } from '../naming/case.ts'
import { aggregateFunctions, filterOperators, operatorAliases } from '../parse/operators.ts'
import { endpointNames } from '../registry/endpoint-name.ts'
import { badFieldName, badRelationName } from '../registry/field-name.ts'

const suffixes = [
  ...Object.keys(filterOperators),
  ...Object.keys(operatorAliases),
  ...aggregateFunctions,
].join('|')

/** Suffixes that the query language would parse as a filter or an aggregate. */
const filterSuffix = new RegExp(`__(?=(?:${suffixes})$)`)

/** Latin plurals whose singular nobody uses for a table. */
const keptPlurals = new Set(['data', 'media', 'metadata'])

/** Letters of other alphabets that have no accent to drop. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
}

/** Only `A-Z a-z 0-9 _`; what has no such form becomes one underscore. */
function ascii(name: string): string {
  return [...name.normalize('NFD').replace(/\p{M}/gu, '')]
    .map((letter) => letters[letter] ?? letter)
    .join('')
    .replace(/[^A-Za-z0-9_]+/g, '_')
}

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
  let name = ascii(column).replace(/(?<=[A-Za-z0-9])_+$|^_+(?=[A-Za-z0-9])/g, '')
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
  const words = toCase(ascii(name), 'snake').split('_')
  const last = words.pop() ?? ''
  return [...words, singular(last)].join('_')
}

/** Model names by table, without two that would answer at the same endpoint. */
export function modelNames(tables: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const endpoints = (name: string): readonly string[] => endpointNames(name, {}, 'kebab').paths
  for (const table of tables) {
    const base = modelName(table)
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

/**
 * What a foreign key's column says of the record it points to: `ArtistId` → `artist`, `country_code` to `code` →
 * `country`, `reports_to` → `reports_to`. Empty where it says nothing, as `id` does.
 */
export function keyStem(column: string, referenced: string): string {
  const words = toCase(ascii(column), 'snake').split('_')
  const target = toCase(ascii(referenced), 'snake').split('_')
  if (words.length > target.length && words.slice(-target.length).join() === target.join()) {
    return words.slice(0, -target.length).join('_')
  }
  if (/^(?:id|fk|key|uuid|guid)$/.test(words.at(-1) ?? '')) words.pop()
  return words.join('_')
}
