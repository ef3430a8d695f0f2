// The registry: turns declared models into resources at start-up, and reports all problems together.

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
import { type KeptValues, namedColumns } from './named-columns.ts'
import { linkInverses } from './relations/inverse.ts'
import { type DeclaredTable, resolveRelations } from './relations/resolve-relations.ts'
import { exclusionsOf } from './resolve-exclusions.ts'
import type { NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'
import { searchOf } from './search-columns.ts'
import { secretColumns } from './secret-columns.ts'
import { guardRoleLinks, resolveUserRoles, withGuardedRoles } from './user-roles.ts'

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
  const opening: Opening = {
    config,
    schema: options.schema,
    kept: {
      special: (column) => options.dialect?.specialValues?.(column),
      others: (column) => options.dialect?.keepsOtherForms?.(column) === true,
    },
    problems,
  }
  const open = published.map(({ model, meta }) => {
    const names = endpointNames(model.name, meta, general.endpointCase)
    return openResource(model, meta, names, opening)
  })
  const byName = new Map(open.map((resource) => [resource.name, resource]))
  for (const resource of open) checkModel(resource, options.dialect, problems)
  checkEndpoints(open, problems)
  checkSoftDelete(
    config,
    published.map(({ meta, model: { columns } }) => ({ meta, columns })),
    problems,
  )

  const { schema } = options
  const tables = declaredTables(models.values(), byName, schema)
  const scope = { models, tables, byName, endpointCase: general.endpointCase, problems }
  for (const resource of open) {
    resource.relations = resolveRelations(resource, scope)
    resource.allRelations = resource.relations
  }
  const links = unpublishedLinks(models.values(), { tables, byName, schema })
  for (const resource of open) resource.unpublishedLinks = links.get(resource.name) ?? []
  for (const resource of open) checkPathNames(resource, problems)
  linkInverses(open)
  for (const resource of open) checkOnDelete(resource, models, problems)
  for (const resource of open) {
    resource.exclusions = exclusionsOf(resource, options.dialect, problems)
  }
  for (const resource of open) checkWriteOnly(resource, problems)

  const enabled = open.flatMap((resource) => resource.settings.strategies)
  const auth = resolveAuth(config, options.env ?? {}, enabled, problems)
  checkOwnRoutes({ ...general, auth }, open, problems)
  const users = userResource(opening, open, general.endpointCase)
  const roles =
    users &&
    resolveUserRoles(users, scope, (model) =>
      openResource(model, {}, endpointNames(model.name, {}, general.endpointCase), opening),
    )
  if (users !== undefined && roles !== undefined) {
    users.roles = roles
    guardRoleLinks(roles, open)
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
  const registry = { resources: open, byName, users, unreadable: [], unpublished }
  return { registry, settings, sessionGetter }
}

/** Returns the declared tables, each with its columns and its resource. */
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
  opening: Opening,
  published: readonly OpenResource[],
  letterCase: EndpointCase,
): OpenResource | undefined {
  const model = opening.config.API_USER_MODEL
  if (typeof model?.name !== 'string' || typeof model.columns !== 'object') return undefined
  const known = published.find((resource) => resource.model === model)
  if (known !== undefined) return known
  return openResource(model, {}, endpointNames(model.name, {}, letterCase), opening)
}

/** A resource before its relations are resolved. */
type OpenResource = Omit<
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
interface Opening {
  readonly config: ApiConfig
  /** The schema of models that declare none. */
  readonly schema: string | undefined
  /** Which columns may contain values of unusual forms. */
  readonly kept: KeptValues
  readonly problems: Problems
}

function openResource(
  model: AnyModel,
  meta: Meta,
  names: EndpointNames,
  { config, schema, kept, problems }: Opening,
): OpenResource {
  const shape = { columns: withGuardedRoles(model, config), computed: model.computed }
  const allColumns = namedColumns(shape, secretColumns(model, config), kept)
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
