// describeExposure: `api.exposure()`, which lists the endpoints, fields, filters and relations that each role can use, as stable text to commit
// and diff. No request calls it.

import { type Action, methodOf } from '../../../access/action.ts'
import { registryOfRoles } from '../../../access/column-rights.ts'
import { hasPermission, isListAllowed } from '../../../access/reach.ts'
import { anonymous, type Caller } from '../../../access/roles/roles.ts'
import { rolesNamed } from '../../../access/roles/roles-named.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
} from '../../../model/query-words/operators.ts'
import { conflictKeys, unwritable } from '../../../model/registry/checks/field-rules.ts'
import { queryColumns } from '../../../model/registry/json-paths.ts'
import type {
  NamedColumn,
  Registry,
  ResolvedRelation,
  Resource,
} from '../../../model/registry/resource.ts'
import { isKeyless } from '../../../model/registry/row-identity.ts'
import type { AccessPolicy } from '../../../model/settings/access/access-types.ts'
import { policyFrom, policyHooks } from '../../../model/settings/access/check-policy.ts'
import { functionFits, isGroupable, isSortable, operatorFits } from '../../../model/type-rules.ts'

/** The parts of an API that the description needs. */
export interface Exposed {
  readonly registry: Registry
  readonly settings: { readonly prefix: string }
}

/**
 * Lists what an anonymous caller, an authenticated user without roles and a user with each role can use. `roles` defaults to
 * all roles that rules name.
 *
 * ```text
 * viewer
 *   Book
 *     GET /api/books
 *     GET /api/books/<id>
 *     rows: scope_query
 *     title (string): read, order_by, groupby; filters eq ne lt le gt ge in nin like …
 *     author → Author: route, embed, join, exists
 * ```
 */
export function describeExposure(
  exposed: Exposed,
  roles: readonly string[] = rolesNamed(exposed.registry),
): string {
  const userWith = (held: readonly string[]): Caller => ({
    user: null,
    authenticated: true,
    roles: held,
  })
  const audiences: readonly (readonly [string, Caller])[] = [
    ['anonymous', anonymous],
    ['authenticated, without roles', userWith([])],
    ...roles.map((role) => [role, userWith([role])] as const),
  ]
  const lines = audiences.flatMap(([title, caller]) => [
    title,
    ...indented(
      resourcesFor({ ...exposed, registry: registryOfRoles(exposed.registry, caller) }, caller),
    ),
    '',
  ])
  return `${lines.join('\n').trimEnd()}\n`
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

function resourcesFor(exposed: Exposed, caller: Caller): readonly string[] {
  const resources = [...exposed.registry.resources].sort((a, b) => (a.name < b.name ? -1 : 1))
  const lines = resources.flatMap((resource) => {
    const described = describe(exposed, resource, caller)
    return described.length === 0 ? [] : [resource.name, ...indented(described)]
  })
  return lines.length === 0 ? ['nothing'] : lines
}

/** Returns the lines about a resource; none if the caller can use no endpoint of it. */
function describe(exposed: Exposed, resource: Resource, caller: Caller): readonly string[] {
  const endpoints = endpointsOf(exposed, resource, caller)
  const relations = relationsOf(exposed, resource, caller)
  if (endpoints.length === 0 && relations.every((line) => !line.includes('route'))) return []
  return [
    ...endpoints,
    ...policyOf(resource),
    ...searchOf(resource, caller),
    ...fieldsOf(resource, caller),
    ...(canRead(resource, caller) ? relations : relations.filter((line) => line.includes('route'))),
  ]
}

const canRead = (resource: Resource, caller: Caller): boolean =>
  hasPermission(resource, 'GET_MANY', caller) || hasPermission(resource, 'GET_ONE', caller)

/** `GET /api/books`, `POST /api/books?on_conflict=<id>`, `GET /api/books/<id>` … */
function endpointsOf({ settings }: Exposed, resource: Resource, caller: Caller): readonly string[] {
  const { bulkMethods, softDelete } = resource.settings
  const bulk = changesOfMany.filter((method) => bulkMethods.has(method))
  const lists: readonly Action[] = ['GET_MANY', 'POST', ...bulk]
  const items: readonly Action[] = ['GET_ONE', 'PATCH', 'PUT', 'DELETE']
  const allowed = (actions: readonly Action[]) =>
    actions.filter((action) => hasPermission(resource, action, caller)).map(methodOf)
  const [url, ...aliases] = resource.paths.map((path) => `${settings.prefix}/${path}`)
  if (url === undefined) return []
  const endpoints = [
    ...allowed(lists).map((method) => `${method} ${url}`),
    ...upsertsOf(resource, caller).map((parameter) => `POST ${url}?${parameter}`),
    ...(isKeyless(resource) ? [] : allowed(items)).map((method) => `${method} ${url}/<id>`),
    ...(softDelete !== null && !isKeyless(resource) && hasPermission(resource, 'RESTORE', caller)
      ? [`POST ${url}/<id>/restore`]
      : []),
  ]
  return endpoints.length === 0 || aliases.length === 0
    ? endpoints
    : [...endpoints, `also at ${aliases.join(', ')}`]
}

/** Returns `on_conflict` with the unique keys that it can name; an empty list if the caller may not upsert. */
function upsertsOf(resource: Resource, caller: Caller): readonly string[] {
  const needed = ['POST', 'UPSERT', 'PATCH'] as const
  const keys = conflictKeys(resource).map(({ names }) => names.join(','))
  return resource.settings.allowUpsert &&
    keys.length > 0 &&
    needed.every((permission) => hasPermission(resource, permission, caller))
    ? [`on_conflict=<${[...new Set(keys)].join('|')}>`]
    : []
}

const changesOfMany = ['PATCH', 'DELETE'] as const

function policyOf({ model, settings }: Resource): readonly string[] {
  const { policy } = settings
  if (policy === null) return ['rows: all']
  const hooks = hooksOf(policyFrom(policy.policy, model))
  return [`rows: ${hooks.length === 0 ? `all of ${model.name}` : hooks.join(', ')}`]
}

/** Returns the names of the hooks that a policy has; in a class they may be methods or fields. */
const hooksOf = (policy: AccessPolicy): readonly string[] =>
  policyHooks.filter((hook) => policy[hook] !== undefined)

function searchOf(resource: Resource, caller: Caller): readonly string[] {
  const { search } = resource
  if (search.length === 0 || !hasPermission(resource, 'GET_MANY', caller)) return []
  return [`search: ${search.map((column) => `${column.name}${decided(column)}`).join(', ')}`]
}

/** `title (string): read, write on POST, order_by; filters eq ne …` */
function fieldsOf(resource: Resource, caller: Caller): readonly string[] {
  const writeOnly = [...resource.bodyColumns.values()].filter(({ hidden }) => hidden)
  const used = [
    ...queryColumns(resource).map((column) => [column, usesOf(resource, column, caller)] as const),
    ...writeOnly.map((column) => [column, writesOf(resource, column, caller).join(', ')] as const),
  ]
  return used.flatMap(([column, uses]) =>
    uses === '' ? [] : [`${column.name} (${column.type}): ${uses}${decided(column)}`],
  )
}

/** Returns the methods by which the caller can write a column. */
function writesOf(resource: Resource, column: NamedColumn, caller: Caller): readonly string[] {
  return [
    hasPermission(resource, 'POST', caller) && !unwritable(resource, column, 'create')
      ? 'write on POST'
      : '',
    hasPermission(resource, 'PATCH', caller) && !unwritable(resource, column, 'update')
      ? 'write on PATCH'
      : '',
  ].filter(Boolean)
}

/** Names which rights of a column a function decides for each request: `read`, `write` or both. */
function decided({ definition: { read, write } }: NamedColumn): string {
  const rights = [
    typeof read === 'function' ? 'read' : '',
    typeof write === 'function' ? 'write' : '',
  ]
  const named = rights.filter(Boolean)
  return named.length === 0 ? '' : `; where its function allows: ${named.join(', ')}`
}

function usesOf(resource: Resource, column: NamedColumn, caller: Caller): string {
  const { allowFilters, allowOrderBy, allowGroupby, allowAggregation } = resource.settings
  const lists = hasPermission(resource, 'GET_MANY', caller)
  const uses = [
    canRead(resource, caller) ? 'read' : '',
    ...writesOf(resource, column, caller),
    lists && allowOrderBy && isSortable(column) ? 'order_by' : '',
    lists && allowGroupby && isGroupable(column) ? 'groupby' : '',
  ].filter(Boolean)
  const operators = (Object.keys(filterOperators) as FilterOperator[]).filter((operator) =>
    operatorFits(operator, column),
  )
  const functions = aggregateFunctions.filter((fn: AggregateFunction) => functionFits(fn, column))
  return [
    uses.join(', '),
    lists && allowFilters && operators.length > 0 ? `filters ${operators.join(' ')}` : '',
    lists && allowAggregation ? `aggregates ${functions.join(' ')}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** `author → Author: route at /api/books/<id>/author, embed, join` */
function relationsOf({ settings }: Exposed, resource: Resource, caller: Caller): readonly string[] {
  return [...resource.relations.values()].map((relation) => {
    const uses = relationUses(resource, relation, caller)
    const [path] = resource.paths
    const route =
      path === undefined ? '' : ` at ${settings.prefix}/${path}/<id>/${relation.segment}`
    const described = uses.map((use) => (use === 'route' ? `route${route}` : use))
    return `${relation.name} → ${relation.target.name}: ${described.join(', ') || 'a URL only'}`
  })
}

function relationUses(
  resource: Resource,
  relation: ResolvedRelation,
  caller: Caller,
): readonly string[] {
  const many = relation.cardinality === 'many'
  const route =
    !isKeyless(resource) &&
    hasPermission(resource, many ? 'RELATION_GET_MANY' : 'RELATION_GET_ONE', caller) &&
    hasPermission(relation.target, many ? 'GET_MANY' : 'GET_ONE', caller)
  const reads = canRead(resource, caller) && isListAllowed(relation.target, caller)
  const { addRelations, allowJoin, allowFilters } = resource.settings
  return [
    route ? 'route' : '',
    reads && addRelations ? 'embed' : '',
    reads && allowJoin ? 'join' : '',
    reads && allowFilters ? 'exists' : '',
  ].filter(Boolean)
}
