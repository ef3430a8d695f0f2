// The relation from users to roles; resolved even if the models are not published, since only role rules read it.

import type { AnyModel } from '../model/define-model.ts'
import { didYouMean } from '../naming/suggest.ts'
import { type RelationScope, resolveRelations } from './resolve-relations.ts'
import type { ResolvedRelation, Resource } from './resource.ts'

/** Resolves the relation `roles` of the user model, to a model with a column `name`; undefined if there is none. */
export function resolveUserRoles(
  users: Resource,
  scope: RelationScope,
  open: (model: AnyModel) => Resource,
): ResolvedRelation | undefined {
  const declared = users.model.relations.roles
  const published = users.relations.get('roles')
  if (declared === undefined || published !== undefined) return published
  const at = `models.${users.name}.relations.roles`
  const model = scope.models.get(declared.target)
  if (model === undefined) {
    // For a published user model `resolveRelations` has already reported it.
    if (scope.byName.get(users.name) !== users) {
      const hint = didYouMean(declared.target, scope.models.keys())
      scope.problems.add(at, `no model named "${declared.target}".${hint}`)
    }
    return undefined
  }
  if (model.columns.name === undefined) {
    scope.problems.add(at, `${model.name} has no column "name", which holds the names of roles.`)
    return undefined
  }
  const role = scope.byName.get(model.name) ?? open(model)
  const source = { ...users, model: { ...users.model, relations: { roles: declared } } }
  const byName = new Map([...scope.byName, [model.name, role]])
  return resolveRelations(source, { ...scope, byName }).get('roles')
}
