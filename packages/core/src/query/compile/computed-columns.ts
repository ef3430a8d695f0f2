// Builds the expressions of computed columns. A model declares one as a function, `computed: (eb, self) => sql`lower(${self('name')})``,
// where `self` refers to a column of the same row; `source.ts` selects the expressions in the derived table of the source.

import {
  ColumnNode,
  type Expression,
  ExpressionWrapper,
  expressionBuilder,
  ReferenceNode,
  TableNode,
} from 'kysely'
import type { NamedColumn } from '../../model/registry/resource.ts'

/** An alias that no table has, because of the space: a table that a subquery of the expression reads cannot take its place. */
export const ownRow = 'own row'

/** The computed columns of a source, as expressions. */
export interface ComputedColumns {
  readonly columns: readonly { readonly dbName: string; readonly expression: Expression<unknown> }[]
  /** Whether an expression called `self`, so that FROM must have the alias `ownRow`. */
  readonly namesOwnRow: boolean
}

/** Builds the expressions of those of the columns that are computed; `dbName` is the alias of each in the derived table. */
export function computedOf(columns: Iterable<NamedColumn>): ComputedColumns {
  let namesOwnRow = false
  const self = (name: string): Expression<unknown> => {
    namesOwnRow = true
    const reference = ReferenceNode.create(ColumnNode.create(name), TableNode.create(ownRow))
    return new ExpressionWrapper(reference)
  }
  const built = [...columns].flatMap(({ dbName, computed }) =>
    computed === undefined ? [] : { dbName, expression: computed(expressionBuilder(), self) },
  )
  return { columns: built, namesOwnRow }
}
