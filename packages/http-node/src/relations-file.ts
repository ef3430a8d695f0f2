// The file of --relations: one relation in each line, `orders.customer_id -> customers.id`.

import { readFileSync } from 'node:fs'
import type { GivenRelation } from '@model-api/core/introspect'
import { messageOf, usageError } from './failure.ts'

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

/** Parses `orders.customer_id -> customers.id`, or with several columns `lines.(order_id, no) -> orders.(id, no)`. */
export function relationsIn(text: string, path: string): readonly GivenRelation[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const content = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (content === '') return []
    const [from, to, ...more] = content.split('->').map(sideOf)
    if (from === undefined || to === undefined || more.length > 0) {
      throw usageError(
        `${path}, line ${i + 1}: "${content}" is no relation. Expected <table>.<column> -> <table>.<column>, such as orders.customer_id -> customers.id.`,
      )
    }
    return [{ table: from.table, columns: from.columns, to: to.table, references: to.columns }]
  })
}

interface Side {
  readonly table: string
  readonly columns: readonly string[]
}

/** Splits at the last dot, which precedes the columns; the table may have a schema. */
function sideOf(text: string): Side | undefined {
  const match = /^(.+)\.(?:\(([^()]+)\)|([^.()]+))$/.exec(text.trim())
  const [, table, several, one] = match ?? []
  const columns = (several ?? one ?? '').split(',').flatMap((name) => name.trim() || [])
  return table === undefined || columns.length === 0 ? undefined : { table: table.trim(), columns }
}

/** Formats a relation as a line of the file. */
export function relationLine({ table, columns, to, references }: GivenRelation): string {
  const side = (name: string, of: readonly string[]): string =>
    `${name}.${of.length === 1 ? of[0] : `(${of.join(', ')})`}`
  return `${side(table, columns)} -> ${side(to, references)}`
}
