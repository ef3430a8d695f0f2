// Whether a query reads few relations. The time that a database needs to plan a join grows exponentially with the number of tables, so a
// query with many keeps each `exists(…)` apart from the join (`unmerged` of `RelatedLookUp`).

import type { ConditionNode, QueryAst } from '../../parse/ast.ts'

/**
 * A many-to-many adds two tables, so there are at most nine tables; MariaDB plans a join of ten tables in milliseconds, and of
 * twenty in seconds.
 */
const maxFew = 4

/** Whether a query has few occurrences of relations in `join`, `exists(…)` and `missing(…)`. */
export function hasFewRelations({ joins, where, relationOptions }: QueryAst): boolean {
  const lengths = joins.map(({ path }) => path.length)
  const conditions = relationOptions.flatMap((node) => (node.option === 'where' ? node.where : []))
  return areFewRelations(sum(lengths), [...where, ...conditions])
}

/** Whether the relations of a path, whose number is `path`, and those in conditions are few. */
export const areFewRelations = (path: number, where: readonly ConditionNode[]): boolean =>
  path + relationsOf(where) <= maxFew

/** The number of relations that conditions follow. */
const relationsOf = (nodes: readonly ConditionNode[]): number =>
  sum(
    nodes.map((node) => {
      if (node.kind === 'filter') return 0
      return 'items' in node ? relationsOf(node.items) : node.path.length
    }),
  )

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
