// The registry: `createApi` turns the declared models into resources here, once at start-up, and reports all problems together. Every request then
// looks up its models, columns and relations in the registry.

import { tableKey } from '../../lib/sql/table-name.ts'
import type { AnyModel } from '../define-model.ts'
import type { Environment } from '../settings/auth/auth-settings.ts'
import { resolveAuth } from '../settings/auth/resolve-auth.ts'
import { checkConfig, checkMeta } from '../settings/check-settings.ts'
import type { ApiConfig, SessionGetter } from '../settings/config.ts'
import { checkOwnRoutes } from '../settings/endpoints/check-own-routes.ts'
import { disabledEndpoints } from '../settings/endpoints/disabled-endpoints.ts'
import { ownRoutePaths } from '../settings/endpoints/own-routes.ts'
import type { Meta } from '../settings/meta.ts'
import { resolveApiSettings, resolveResourceSettings } from '../settings/resolve-settings.ts'
import { checkSoftDelete } from '../settings/resolve-soft-delete.ts'
import { collectProblems, type Problems, throwProblems } from '../settings/setting-problems.ts'
import type { ApiSettings, EndpointCase } from '../settings/settings.ts'
import { checkEndpoints } from './checks/check-endpoints.ts'
import { checkModel, type StartDialect } from './checks/check-model.ts'
import { checkOnDelete } from './checks/check-on-delete.ts'
import { checkWriteOnly } from './checks/check-write-only.ts'
import { isInBodies } from './checks/field-rules.ts'
import { unpublishedLinks } from './checks/unpublished-links.ts'
import { collectModels } from './collect-models.ts'
import { type EndpointNames, endpointNames } from './endpoint-name.ts'
import { checkPathNames } from './json-paths.ts'
import { namedColumns, type UnusualValues } from './named-columns.ts'
import { linkInverses } from './relations/inverse.ts'
import { type DeclaredTable, resolveRelations } from './relations/resolve-relations.ts'
import { exclusionsOf } from './resolve-exclusions.ts'
import type { NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'
import { searchOf } from './search-columns.ts'
import { secretColumns } from './secret-columns.ts'
import { guardRoleLinks, resolveUserRoles, withGuardedRoles } from './user-roles.ts'

/** The options of `createApi` that decide the registry. */
export interface RegistryOptions {
  readonly models?: readonly AnyModel[]
  readonly config?: ApiConfig
  /** Reports columns that the database cannot store exactly. */
  readonly dialect?: StartDialect
  /** Environment variables, which may hold secrets. */
  readonly env?: Environment | undefined
  /** The schema of models that declare none. */
  readonly schema?: string | undefined
}

/**
 * Publishes the models that have meta, and resolves all settings.
 *
 * Throws one Error that lists all problems.
 *
 * ```ts
 * const { registry, settings } = buildRegistry({ models: [Author, Book], config: { API_TITLE: 'Library' } })
 * registry.byName.get('Book')?.endpoint // 'books'
 * ```
 */
export function buildRegistry(options: RegistryOptions): BuiltRegistry {
  const problems = collectProblems()
  const built = resolveRegistry(options, problems)
  throwProblems(problems)
  return built
}

/** What start-up makes of models and configuration. */
export interface BuiltRegistry {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** API_SESSION_GETTER, if set. */
  readonly sessionGetter: SessionGetter | undefined
}

/**
 * Builds the registry, and adds what is wrong to `problems`. If anything is, the registry is incomplete: it serves only to find further
 * problems.
 */
export function resolveRegistry(options: RegistryOptions, problems: Problems): BuiltRegistry {
  const config = checkConfig(options.config, problems)
  const general = resolveApiSettings(config, options.env)
  const models = collectModels(options.models ?? [], config.API_BASE_MODEL, problems)

  const published = [...models.values()].flatMap((model) =>
    model.meta === undefined ? [] : [{ model, meta: checkMeta(model.name, model.meta, problems) }],
  )
  const input: ResourceInput = {
    config,
    schema: options.schema,
    unusual: {
      special: (column) => options.dialect?.specialValues?.(column),
      others: (column) => options.dialect?.keepsOtherForms?.(column) === true,
    },
    problems,
  }
  // First the resources without relations, each of which is checked by itself.
  const resources = published.map(({ model, meta }) => {
    const names = endpointNames(model.name, meta, general.endpointCase)
    return resourceWithoutRelations(model, meta, names, input)
  })
  const byName = new Map(resources.map((resource) => [resource.name, resource]))
  for (const resource of resources) checkModel(resource, options.dialect, problems)
  checkEndpoints(resources, problems)
  checkSoftDelete(
    config,
    published.map(({ meta, model: { columns } }) => ({ meta, columns })),
    problems,
  )

  // Then what lies between resources: relations, and what depends on them.
  const { schema } = options
  const tables = declaredTables(models.values(), byName, schema)
  const scope = { models, tables, byName, endpointCase: general.endpointCase, problems }
  for (const resource of resources) {
    resource.relations = resolveRelations(resource, scope)
    resource.allRelations = resource.relations
  }
  const links = unpublishedLinks(models.values(), { tables, byName, schema })
  for (const resource of resources) resource.unpublishedLinks = links.get(resource.name) ?? []
  for (const resource of resources) checkPathNames(resource, problems)
  linkInverses(resources)
  for (const resource of resources) checkOnDelete(resource, models, problems)
  for (const resource of resources) {
    resource.exclusions = exclusionsOf(resource, options.dialect, problems)
  }
  for (const resource of resources) checkWriteOnly(resource, problems)

  // At last users, roles and authentication, which may be about a model that is not published.
  const enabled = resources.flatMap((resource) => resource.settings.strategies)
  const auth = resolveAuth(config, options.env ?? {}, enabled, problems)
  checkOwnRoutes({ ...general, auth }, resources, problems)
  const users = userResource(input, resources, general.endpointCase)
  const roles =
    users &&
    resolveUserRoles(users, scope, (model) => {
      const names = endpointNames(model.name, {}, general.endpointCase)
      return resourceWithoutRelations(model, {}, names, input)
    })
  if (users !== undefined && roles !== undefined) {
    users.roles = roles
    guardRoleLinks(roles, resources)
  }
  const settings: ApiSettings = {
    ...general,
    auth,
    ownRoutePaths: ownRoutePaths({ ...general, auth }),
    disabledEndpoints: disabledEndpoints(config, general, auth),
  }

  const sessionGetter = config.API_SESSION_GETTER
  const unpublished = new Map(
    [...models.keys()]
      .filter((name) => !byName.has(name))
      .map((name) => [name, endpointNames(name, {}, general.endpointCase).paths]),
  )
  const registry = { resources, byName, users, unreadable: [], unpublished }
  return { registry, settings, sessionGetter }
}

/** Returns the declared tables by `tableKey`, each with its columns and its resource. Several models may have the same table. */
function declaredTables(
  models: Iterable<AnyModel>,
  byName: ReadonlyMap<string, Resource>,
  schema: string | undefined,
): Map<string, DeclaredTable> {
  const tables = new Map<string, DeclaredTable>()
  for (const model of models) {
    const { name, columns } = model
    const key = tableKey({ schema: model.schema ?? schema, table: model.table })
    const known = tables.get(key)
    const own = Object.entries(columns).map(([field, { column }]) => column ?? field)
    tables.set(key, {
      columns: new Set([...(known?.columns ?? []), ...own]),
      resource: known?.resource ?? byName.get(name),
    })
  }
  return tables
}

/** Makes the user model a resource, even if it is not published, so that users are read like other records. */
function userResource(
  input: ResourceInput,
  published: readonly MutableResource[],
  letterCase: EndpointCase,
): MutableResource | undefined {
  const model = input.config.API_USER_MODEL
  if (typeof model?.name !== 'string' || typeof model.columns !== 'object') return undefined
  const known = published.find((resource) => resource.model === model)
  if (known !== undefined) return known
  return resourceWithoutRelations(model, {}, endpointNames(model.name, {}, letterCase), input)
}

/** A resource before its relations are resolved. */
type MutableResource = Omit<
  Resource,
  'relations' | 'allRelations' | 'unpublishedLinks' | 'exclusions' | 'roles'
> & {
  exclusions: Resource['exclusions']
  relations: ReadonlyMap<string, ResolvedRelation>
  allRelations: ReadonlyMap<string, ResolvedRelation>
  unpublishedLinks: Resource['unpublishedLinks']
  roles?: ResolvedRelation
}

/** The input for creating the resources of an API. */
interface ResourceInput {
  readonly config: ApiConfig
  /** The schema of models that declare none. */
  readonly schema: string | undefined
  /** Which columns may contain values of unusual forms. */
  readonly unusual: UnusualValues
  readonly problems: Problems
}

/** Makes the resource of a model, with its columns, keys and settings; relations and exclusions need all resources and follow. */
function resourceWithoutRelations(
  model: AnyModel,
  meta: Meta,
  names: EndpointNames,
  { config, schema, unusual, problems }: ResourceInput,
): MutableResource {
  const shape = { columns: withGuardedRoles(model, config), computed: model.computed }
  const allColumns = namedColumns(shape, secretColumns(model, config), unusual)
  const primaryKey = [...allColumns.values()].filter((column) => column.definition.primaryKey)
  return {
    model,
    name: model.name,
    table: model.table,
    schema: model.schema ?? schema,
    ...names,
    columns: new Map([...allColumns].filter(([, column]) => !column.hidden)),
    bodyColumns: new Map([...allColumns].filter(([, column]) => isInBodies(column))),
    allColumns,
    aggregates: new Map(),
    primaryKey,
    uniqueKeys: [...(primaryKey.length > 0 ? [primaryKey] : []), ...uniqueSets(model, allColumns)],
    exclusions: [],
    ...searchOf({ model, schema: model.schema ?? schema, allColumns, primaryKey }),
    relations: new Map(),
    allRelations: new Map(),
    unpublishedLinks: [],
    settings: resolveResourceSettings(model, meta, config, problems),
  }
}

/** Returns the unique columns, then the unique sets of the model; `checkModel` reports unknown names. */
function uniqueSets(
  { unique = [] }: AnyModel,
  columns: ReadonlyMap<string, NamedColumn>,
): readonly (readonly NamedColumn[])[] {
  const single = [...columns.values()].filter(({ definition }) => definition.unique === true)
  const sets = unique.map((set) => set.flatMap((name) => columns.get(name) ?? []))
  return [...single.map((column) => [column]), ...sets]
}
