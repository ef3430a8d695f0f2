// Whether a query joins and looks up few relations: the time of planning one join grows exponentially with its tables.

import type { ConditionNode, QueryAst } from '../parse/ast.ts'

/** A many-to-many is two tables; MariaDB plans a join of ten in milliseconds, and one of twenty in seconds. */
const few = 4

/** Counts the relations of `join`, `exists(…)` and `missing(…)`, each as often as it stands there. */
export function hasFewRelations({ joins, where, relationOptions }: QueryAst): boolean {
  const lengths = joins.map(({ path }) => path.length)
  const conditions = relationOptions.flatMap((node) => (node.option === 'where' ? node.where : []))
  return sum(lengths) + relationsOf(where) + relationsOf(conditions) <= few
}

const relationsOf = (nodes: readonly ConditionNode[]): number =>
  sum(
    nodes.map((node) => {
      if (node.kind === 'filter') return 0
      return 'items' in node ? relationsOf(node.items) : node.path.length
    }),
  )

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
