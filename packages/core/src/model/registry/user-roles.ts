// The roles of users: the relation from users to roles, resolved even if the models are not published, since only role rules read it;
// and which columns and relations clients cannot write because they give roles.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import type { Column } from '../column.ts'
import type { AnyModel } from '../define-model.ts'
import type { ApiConfig } from '../settings/config.ts'
import {
  type MutableRelation,
  type RelationScope,
  resolveRelations,
} from './relations/resolve-relations.ts'
import type { ResolvedRelation, Resource } from './resource.ts'

/**
 * Resolves the relation `roles` of the user model, to a model with a column `name`; undefined if there is none. `resourceOf` makes a resource of
 * an unpublished model of roles.
 */
export function resolveUserRoles(
  users: Resource,
  scope: RelationScope,
  resourceOf: (model: AnyModel) => Resource,
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
  const role = scope.byName.get(model.name) ?? resourceOf(model)
  const source = { ...users, model: { ...users.model, relations: { roles: declared } } }
  const byName = new Map([...scope.byName, [model.name, role]])
  return resolveRelations(source, { ...scope, byName }).get('roles')
}

/**
 * Returns the columns of a model; on the user model, the column `roles` or the foreign key of a to-one relation `roles` is read-only:
 * otherwise users who may change their own record could give themselves any role. Unchanged if the model says who may write the
 * column (`readOnly: false`, `write`), or if `methods.roles` gives the roles.
 */
export function withGuardedRoles(
  model: AnyModel,
  { API_USER_MODEL: users }: ApiConfig,
): Readonly<Record<string, Column>> {
  const { columns, methods, relations } = model
  if (users !== model || methods?.roles !== undefined) return columns
  const { roles } = relations
  const names = roles?.kind === 'belongsTo' ? [roles.key].flat() : ['roles']
  const guarded: Record<string, Column> = {}
  for (const name of names) {
    const column = columns[name]
    const isDecided = column?.readOnly !== undefined || column?.write !== undefined
    if (column !== undefined && !isDecided) guarded[name] = { ...column, readOnly: true }
  }
  return { ...columns, ...guarded }
}

/**
 * Marks the relations over the table that links users to roles, unless a published model of that table has rules of its own, and those
 * from a role to its users by a read-only foreign key: users who may change their own record, or a role, could give themselves any
 * role, or create a user that has it.
 */
export function guardRoleLinks(
  roles: ResolvedRelation,
  resources: readonly Pick<Resource, 'allRelations'>[],
): void {
  const { through } = roles
  if (through?.resource !== undefined) return
  const gives = through === undefined ? fillsRole(roles) : isOver(tableKey(through))
  for (const { allRelations } of resources) {
    for (const relation of allRelations.values()) {
      if (gives(relation)) (relation as MutableRelation).givesRoles = true
    }
  }
}

type RelationTest = (relation: ResolvedRelation) => boolean

const isOver =
  (table: string): RelationTest =>
  ({ through }) =>
    through !== undefined && tableKey(through) === table

/** Whether the children of a relation are users whose foreign key to their role it fills. */
const fillsRole =
  ({ kind, source, from }: ResolvedRelation): RelationTest =>
  (relation) =>
    kind === 'belongsTo' &&
    relation.kind !== 'belongsTo' &&
    relation.target.name === source.name &&
    relation.to.some(
      ({ name, definition }) =>
        definition.readOnly === true && from.some((column) => column.name === name),
    )
