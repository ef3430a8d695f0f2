// StatementStore: the printed statements of one cached read or write. A statement is compiled once; later requests only compute its
// parameters. Its text may depend on *decisions* about values, such as the length of a list, so a name can have several texts.

import { lruMap } from '../../lib/lru-map.ts'
import type { Fragment } from '../../lib/sql/fragment.ts'
import type { Decision } from '../../lib/sql/param.ts'
import type { TextStyle } from '../../lib/sql/print.ts'
import {
  bind,
  printForStore,
  type SlotValues,
  type StoredStatement,
} from '../../lib/sql/stored-statement.ts'
import { printedStatement } from './printed-statement.ts'

/** A statement, and how its rows are read: for the caller, who compiled both; the store only keeps `reading`. */
export interface StatementWithReading<R, S> {
  readonly statement: S
  readonly reading: R
}

/** What a request asks the store for. */
export interface StoreRequest<R> {
  /** The statements of one name have the same text, apart from decisions about their values. */
  readonly name: string
  /** The values of the request. */
  readonly values: SlotValues
  readonly style: TextStyle
  /** Rewrites printed SQL for the driver, once, before it is stored: adds the time limit of the server, for example. */
  readonly finish: (text: string) => string
  /** Compiles the statement, and adds its decisions about values of slots; undefined if the database does not support it. */
  readonly compile: (decisions: Decision[]) => StatementWithReading<R, Fragment> | undefined
}

export interface StatementStore {
  /**
   * Returns the statement with the values of the request. Undefined if it cannot be stored: the database does not support it, or Kysely
   * prints a part of it.
   */
  make<R>(
    request: StoreRequest<R>,
  ): StatementWithReading<R, ReturnType<typeof printedStatement>> | undefined
}

/** The texts of one name, the last used first; none if statements of this name cannot be stored. */
type Variants = readonly StatementWithReading<unknown, StoredStatement>[] | 'none'

/** The most texts of one name; the one that was not used for the longest time is evicted first. */
const maxVariants = 8

/** Puts a variant first; leaves out the last one if there are too many. */
const withNewest = <V>(variant: V, variants: readonly V[]): readonly V[] =>
  [variant, ...variants.filter((other) => other !== variant)].slice(0, maxVariants)

/** Creates a store of at most `size` names. */
export function statementStore(size: number): StatementStore {
  const variantsByName = lruMap<Variants>(size)
  return {
    make<R>({ name, values, style, finish, compile }: StoreRequest<R>) {
      const variants = variantsByName.get(name)
      if (variants === 'none') return undefined
      for (const [i, variant] of (variants ?? []).entries()) {
        const { statement, reading } = variant
        const parameters = bind(statement, values)
        // A decision has another answer for these values, so they need another text.
        if (parameters === undefined) continue
        if (i > 0) variantsByName.set(name, withNewest(variant, variants ?? []))
        return {
          statement: printedStatement(statement.text, parameters),
          reading: reading as R,
        }
      }
      const decisions: Decision[] = []
      const made = compile(decisions)
      const printed = made && printForStore(made.statement, style, decisions)
      if (made === undefined || printed === undefined) {
        variantsByName.set(name, 'none')
        return undefined
      }
      const { reading } = made
      const text = finish(printed.statement.text)
      const variant = { statement: { ...printed.statement, text }, reading }
      variantsByName.set(name, withNewest(variant, variants ?? []))
      return { statement: printedStatement(text, printed.parameters), reading }
    },
  }
}
