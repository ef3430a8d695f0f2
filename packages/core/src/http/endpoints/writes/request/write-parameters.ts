// Refuses query parameters that have no meaning for a write, before its body is read: a client that sends one expects something else.

import { conflictingParameters, notHere } from '../../../../errors.ts'
import type { SingleParameter } from '../../../../model/query-words/parameter-names.ts'
import type { QueryAst } from '../../../../query/parse/ast.ts'
import { refuseRelationWrites } from '../../reads/request-query.ts'

/** Throws 400 for query parameters that this write does not have. */
export function refuseOtherParameters(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  const known: readonly string[] = [...echoParameters, ...own]
  for (const [name, node] of Object.entries(ast.single)) {
    if (!known.includes(name)) throw notHere(name, 'in a write', `${name}=${node?.text ?? ''}`)
  }
}

/** The parameters that shape the returned record. */
const echoParameters: readonly SingleParameter[] = [
  'dump',
  'dump_relationships',
  'include_deleted',
  'join_type',
]

/** Throws 400 for all query parameters but these: the response of a removal has no record that they could shape. */
export function refuseAllBut(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  for (const [name, node] of Object.entries(ast.single)) {
    if (!(own as readonly string[]).includes(name)) {
      throw notHere(name, 'in a removal', `${name}=${node?.text ?? ''}`)
    }
  }
  refuseRelationWrites(ast, 'in a removal')
  const { fields, joins, groupBy, aggregates, order, distinctOn, relationOptions } = ast
  const lists = [
    fields ?? [],
    groupBy,
    aggregates,
    order,
    distinctOn,
    relationOptions,
    joins,
  ].flat()
  const [first] = lists
  if (first !== undefined) {
    const at = ast.raw.slice(first.span.start, first.span.end)
    throw conflictingParameters('A removal answers no record that could be shaped.', at)
  }
}
