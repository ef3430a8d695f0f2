// Compiles the outputs of a plan to a select list, with readers that decode the selected values: `"books"."title" as "title"`, and a
// reader that takes the value at index 1 or alias `title` of a row. `run/loaded-row.ts` and `query/serialize` use the readers.

import type { Expression } from 'kysely'
import { cellOf, type RawRow } from '../../database/cell.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { type JsonWriter, writerOfDecoder } from '../../dialect/shared/json/json-writer.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { type Aliased, type Fragment, sql } from '../../lib/sql/fragment.ts'
import { printedOnce } from '../../lib/sql/print.ts'
import type { Operand, Output } from '../plan/plan.ts'
import { compileOperand, relatedValue } from './rows/condition.ts'
import { aggregatedColumn } from './rows/related-query.ts'
import { dialectColumnOf, valueIn } from './source.ts'
import type { Target } from './target.ts'

/** Reads one value of a row by its alias; `key` is its JSON key, `visible` whether the response shows it. */
export interface ValueReader {
  readonly key: string
  readonly alias: string
  readonly visible: boolean
  readonly decode: (raw: unknown) => JsonValue
}

/** Reads one member of a row that may be an object or an array, as a value or as JSON text. */
export interface MemberReader extends ValueReader {
  /** The index of the value in the select list. */
  readonly index: number
  /** `stringify(decode(raw))`; `raw` is not NULL. */
  readonly write: JsonWriter
}

/** Reads the value of a row's member; null for NULL. */
export function readMember(raw: RawRow, reader: MemberReader): JsonValue {
  const value = cellOf(raw, reader)
  return value === null || value === undefined ? null : reader.decode(value)
}

/** A select list as separate expressions, with the readers of their values. */
export interface Selection {
  readonly expressions: readonly Aliased[]
  readonly readers: readonly MemberReader[]
}

// At most 60 characters: PostgreSQL truncates longer identifiers to 63 bytes, and truncated aliases may be equal.
export const plainAlias: RegExp = /^[A-Za-z_][A-Za-z0-9_]{0,59}$/

/**
 * Returns the key of an output if that is the plain name of its column; undefined for a key that a client chose, such as a label, and
 * for one that is no plain alias. Only this name may be in SQL, so that clients cannot choose a part of a statement's text.
 */
export const registryName = ({ key, value }: Output): string | undefined =>
  value.kind === 'column' && value.column.name === key && plainAlias.test(key) ? key : undefined

/** Whether the statement has GROUP BY: its values then have the form that the database compares. */
interface Grouping {
  readonly grouped: boolean
}

const ungrouped: Grouping = { grouped: false }

/** Compiles outputs to expressions with unique aliases. */
export function compileSelection(
  target: Target,
  output: readonly Output[],
  { grouped }: Grouping = ungrouped,
): Selection {
  const used = new Set<string>()
  const members = output.map((member, i) => {
    const name = registryName(member)
    const fits = name !== undefined && !used.has(name.toLowerCase())
    const alias = fits ? name : `value ${i + 1}`
    used.add(alias.toLowerCase())
    return { member, alias }
  })
  return {
    expressions: members.map(({ member, alias }) =>
      sql`${selected(target, member.value, grouped)}`.as(alias),
    ),
    readers: members.map(({ member, alias }, index) => ({
      key: member.key,
      alias,
      index,
      visible: member.visible,
      ...coding(target, member.value, grouped),
    })),
  }
}

/** The select list of an output, and the readers of its values. */
export interface SelectList {
  /** The values, separated by commas; none for an empty output. */
  readonly items: readonly Fragment[]
  readonly readers: readonly MemberReader[]
}

interface CachedList extends SelectList {
  readonly dialect: InternalDialect
  readonly grouped: boolean
}

const cachedLists = new WeakMap<readonly Output[], CachedList>()

/**
 * Compiles outputs to a select list; a list without parameters is one fragment of printed
 * SQL. Cached by the output, unless a hook computes columns, which other callers may see as stored, or an aggregate reads rows of other
 * sources, in the scopes of this request.
 */
export function selectList(
  target: Target,
  output: readonly Output[],
  { grouped }: Grouping = ungrouped,
): SelectList {
  const { dialect, scopes } = target
  const isCacheable = !scopes.computing && output.every(({ value }) => value.kind !== 'related')
  const known = isCacheable ? cachedLists.get(output) : undefined
  if (known?.dialect === dialect && known.grouped === grouped) return known
  const { expressions, readers } = compileSelection(target, output, { grouped })
  const style = dialect.shortcuts?.textStyle
  if (output.length === 0) return { items: [], readers }
  if (!isCacheable) return { items: [sql.join(expressions)], readers }
  const items = [printedOnce(sql.join(expressions), style)]
  const list = { items, readers, dialect, grouped }
  cachedLists.set(output, list)
  return list
}

/** Compiles the value of an output in the form that its reader decodes. */
function selected(target: Target, operand: Operand, grouped: boolean): Expression<unknown> {
  const { dialect } = target
  if (operand.kind === 'related') return relatedValue(target, operand, 'shown')
  if (operand.kind === 'aggregate') {
    if (operand.countsRows === true) return sql`count(*)`
    const column = dialectColumnOf(target, operand.of.source, operand.of.column)
    return dialect.aggregate(operand.function, column).select(valueIn(target, operand.of))
  }
  const { column, expression } = compileOperand(target, operand, { grouped })
  return dialect.select(column, expression)
}

/** Returns how a value of an output is decoded, and how it is written as JSON text. */
function coding(
  target: Target,
  operand: Operand,
  grouped: boolean,
): Pick<MemberReader, 'decode' | 'write'> {
  const { dialect } = target
  if (operand.kind === 'aggregate' || operand.kind === 'related') {
    const column =
      operand.kind === 'aggregate' ? operand.of.column : aggregatedColumn(target, operand)
    const { decode } = dialect.aggregate(operand.function, column)
    return { decode, write: writerOfDecoder(decode) }
  }
  const { column } = compileOperand(target, operand, { grouped })
  const decode = dialect.decoder(column)
  return { decode, write: dialect.shortcuts?.writer?.(column, decode) ?? writerOfDecoder(decode) }
}
