// Collects per-relation options (`books.limit=3`, `books[…]`) by relation path; an option for a relation that is not embedded
// is a 400 (docs/reference/query-language.md).

import { notHere, repeatedParameter, unknownPathSegment } from '../../../errors.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { relationsMatching } from '../../../model/registry/relations/relation-token.ts'
import type {
  ConditionNode,
  OrderNode,
  OutputNode,
  RelationOptionNode,
  TextNode,
} from '../../parse/ast.ts'
import { groupKinds } from '../../parse/terms/group-kind.ts'
import { type PlanContext, textAt } from '../context.ts'
import { embedRemedy } from './embed-remedy.ts'

/** The options of one embedded relation. */
export interface OptionsOfRelation {
  readonly limit?: TextNode
  readonly order: readonly OrderNode[]
  readonly fields?: readonly OutputNode[]
  readonly where: readonly ConditionNode[]
  /** The first option as the client wrote it, for errors. */
  readonly at: string
}

/** The options of all relations of a query. */
export interface RelationOptions {
  /** Returns the options of the relation at a path such as `books.author`, and marks them as used. */
  of(path: string): OptionsOfRelation
  /** Throws a 400 if an option names a relation that is not embedded. */
  refuseUnused(): void
}

const noOptions: OptionsOfRelation = { order: [], where: [], at: '' }

/** Collects the options of the query by the paths of their relations; throws a 400 for an unknown relation. */
export function planRelationOptions(context: PlanContext): RelationOptions {
  const byPath = new Map<string, CollectedOptions>()
  for (const node of context.ast.relationOptions) {
    const path = relationPath(context, node)
    const at = textAt(context, node.span)
    const options = byPath.get(path) ?? { order: [], where: [], at }
    byPath.set(path, options)
    add(options, node, at)
  }
  const used = new Set<string>()
  return {
    of: (path) => {
      used.add(path)
      return byPath.get(path) ?? noOptions
    },
    refuseUnused: () => {
      for (const [path, { at }] of byPath) {
        if (!used.has(path))
          throw notHere(
            at,
            `because "${path}" is not embedded in this answer`,
            at,
            embedRemedy(context, path),
          )
      }
    },
  }
}

/** Returns the path of an option with the exact names of its relations. */
function relationPath(context: PlanContext, node: RelationOptionNode): string {
  let resource = context.resource
  const keys = node.path.map(({ text }) => {
    const relations = relationsMatching(resource, text)
    const [relation] = relations
    if (relation === undefined || relations.length > 1) {
      const hint = didYouMean(text, [
        ...resource.relations.keys(),
        ...(node.option === 'where' ? groupKinds : []),
      ])
      throw unknownPathSegment(text, hint, textAt(context, node.span))
    }
    resource = relation.target
    return relation.name
  })
  return keys.join('.')
}

/** Options that are still being collected. */
interface CollectedOptions extends OptionsOfRelation {
  limit?: TextNode
  readonly order: OrderNode[]
  fields?: OutputNode[]
  readonly where: ConditionNode[]
}

/** Adds one option to those of its relation; only `limit` may not be repeated. */
function add(options: CollectedOptions, node: RelationOptionNode, at: string): void {
  switch (node.option) {
    case 'limit':
      if (options.limit !== undefined) throw repeatedParameter(at.split('=')[0] ?? at, at)
      options.limit = node.limit
      return
    case 'order_by':
      options.order.push(...node.order)
      return
    case 'fields':
      options.fields ??= []
      options.fields.push(...node.fields)
      return
    case 'where':
      options.where.push(...node.where)
  }
}
