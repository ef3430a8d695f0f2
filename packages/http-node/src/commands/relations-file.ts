// The file of --relations: one relation in each line, `orders.customer_id -> customers.id`.

import { readFileSync } from 'node:fs'
import type { GivenRelation } from '@model-api/core/introspect'
import { messageOf, usageError } from './output/failure.ts'

/** Reads a file of relations; comments begin with `#`. */
export function readRelationsFile(path: string): readonly GivenRelation[] {
  return relationsIn(textOf(path), path)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw usageError(`--relations ${path}: ${messageOf(error)}`)
  }
}

/**
 * Parses `orders.customer_id -> customers.id`, or with several columns `lines.(order_id, no) -> orders.(id, no)`. A name may be in
 * double quotes: `orders."customer.id" -> customers.id`.
 */
export function relationsIn(text: string, path: string): readonly GivenRelation[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const quoted: string[] = []
    const content = line
      .replace(/"((?:[^"]|"")+)"/g, (_, name) => `"${quoted.push(name.replaceAll('""', '"')) - 1}"`)
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
    if (content === '') return []
    const [from, to, ...more] = content.split('->').map((side) => sideOf(side, quoted))
    if (from === undefined || to === undefined || more.length > 0) {
      throw usageError(
        `${path}, line ${i + 1}: "${line.trim()}" is no relation. Expected <table>.<column> -> <table>.<column>, such as orders.customer_id -> customers.id.`,
      )
    }
    return [{ table: from.table, columns: from.columns, to: to.table, references: to.columns }]
  })
}

/** One side of an arrow: `orders.customer_id`. */
interface Side {
  readonly table: string
  readonly columns: readonly string[]
}

/**
 * Splits at the last dot, which precedes the columns; the table may have a schema. In the text, each quoted name is replaced by its
 * index in quotes. Undefined if the text has no table or no column.
 */
function sideOf(text: string, quoted: readonly string[]): Side | undefined {
  const named = (name: string): string =>
    name.replace(/"(\d+)"/g, (_, index) => quoted[index] ?? '')
  const match = /^(.+)\.(?:\(([^()]+)\)|([^.()]+))$/.exec(text.trim())
  const [, table, several, single] = match ?? []
  const columns = (several ?? single ?? '').split(',').flatMap((name) => name.trim() || [])
  return table === undefined || columns.length === 0
    ? undefined
    : { table: named(table.trim()), columns: columns.map(named) }
}

/** Formats a relation as a line of the file. */
export function relationLine({ table, columns, to, references }: GivenRelation): string {
  const side = (table: string, columns: readonly string[]): string => {
    const names = columns.map((name) => (/["#>.,()]|^\s|\s$/.test(name) ? quote(name) : name))
    const tableText = /["#>()]|^\s|\s$/.test(table) ? quote(table) : table
    return `${tableText}.${names.length === 1 ? names[0] : `(${names.join(', ')})`}`
  }
  return `${side(table, columns)} -> ${side(to, references)}`
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
