// embedRemedy: says which parameters would embed a relation, for the 400 of an option such as `books.limit=3` without embedded books.

import type { ResolvedRelation } from '../../../model/registry/resource.ts'
import type { PlanContext } from '../context.ts'

/**
 * Returns the sentence to append to an error about a relation that is not embedded; empty if no parameter can embed it for this caller.
 *
 * ` Embed it with dump=json, or with dump=dynamic and join=books.author.`
 */
export function embedRemedy(context: PlanContext, path: string): string {
  const { settings } = context.resource
  if (!settings.addRelations) return ''
  const names = path.split('.')
  let isInJson = names.length <= (settings.serializationDepth ?? 1)
  let resource = context.resource
  let parent: ResolvedRelation | undefined
  for (const name of names) {
    const relation = resource.relations.get(name)
    if (relation === undefined || !context.reach(relation.target)) return ''
    if (relation === parent?.inverse) isInJson = false
    parent = relation
    resource = relation.target
  }
  const ways = [
    ...(isInJson ? ['dump=json'] : []),
    ...(settings.allowJoin ? [`dump=dynamic and join=${path}`] : []),
  ]
  return ways.length === 0 ? '' : ` Embed it with ${ways.join(', or with ')}.`
}
