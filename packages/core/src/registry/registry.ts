// The registry: turns declared models into resources at start-up, and reports all problems together.

import type { Environment } from '../config/auth-settings.ts'
import { checkOwnRoutes } from '../config/check-own-routes.ts'
import { checkConfig, checkMeta } from '../config/check-settings.ts'
import type { ApiConfig, SessionGetter } from '../config/config.ts'
import type { Meta } from '../config/meta.ts'
import { collectProblems, type Problems, throwProblems } from '../config/problems.ts'
import { resolveAuth } from '../config/resolve-auth.ts'
import { resolveApiSettings, resolveResourceSettings } from '../config/resolve-settings.ts'
import type { ApiSettings, EndpointCase } from '../config/settings.ts'
import { checkSoftDelete } from '../config/soft-delete.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { AnyModel } from '../model/define-model.ts'
import { checkAuthRoutes, checkEndpoints } from './check-endpoints.ts'
import { checkModel } from './check-model.ts'
import { collectModels } from './collect-models.ts'
import { type EndpointNames, endpointNames } from './endpoint-name.ts'
import { linkInverses } from './inverse.ts'
import { namedColumns } from './named-columns.ts'
import { type DeclaredTable, resolveRelations } from './resolve-relations.ts'
import type { NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'
import { secretColumns } from './secret-columns.ts'
import { resolveUserRoles } from './user-roles.ts'

export interface RegistryOptions {
  readonly models?: readonly AnyModel[]
  readonly config?: ApiConfig
  /** Reports columns that the database cannot store exactly. */
  readonly dialect?: Pick<Dialect, 'refuses'>
  /** Environment variables, which may hold secrets. */
  readonly env?: Environment
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
export function buildRegistry(options: RegistryOptions): {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** API_SESSION_GETTER, if set. */
  readonly sessionGetter: SessionGetter | undefined
} {
  const problems = collectProblems()
  const config = checkConfig(options.config, problems)
  const general = resolveApiSettings(config)
  const models = collectModels(options.models ?? [], config.API_BASE_MODEL, problems)

  const published = [...models.values()].flatMap((model) =>
    model.meta === undefined ? [] : [{ model, meta: checkMeta(model.name, model.meta, problems) }],
  )
  const open = published.map(({ model, meta }) => {
    const names = endpointNames(model.name, meta, general.endpointCase)
    return openResource(model, meta, names, config, problems)
  })
  const byName = new Map(open.map((resource) => [resource.name, resource]))
  for (const resource of open) checkModel(resource, options.dialect, problems)
  checkEndpoints(open, problems)
  checkSoftDelete(
    config,
    published.map(({ meta, model }) => ({
      meta,
      softDelete: byName.get(model.name)?.settings.softDelete ?? null,
    })),
    problems,
  )

  const tables = declaredTables(models.values(), byName)
  const scope = { models, tables, byName, endpointCase: general.endpointCase, problems }
  for (const resource of open) resource.relations = resolveRelations(resource, scope)
  linkInverses(open)

  const enabled = open.flatMap((resource) => resource.settings.strategies)
  const auth = resolveAuth(config, options.env ?? {}, enabled, problems)
  checkAuthRoutes(auth.routes, general.prefix, open, problems)
  checkOwnRoutes(general, auth, problems)
  const users = userResource(config, open, general.endpointCase, problems)
  const roles =
    users &&
    resolveUserRoles(users, scope, (model) =>
      openResource(
        model,
        {},
        endpointNames(model.name, {}, general.endpointCase),
        config,
        problems,
      ),
    )
  if (users !== undefined && roles !== undefined) users.roles = roles
  const settings: ApiSettings = { ...general, auth }

  throwProblems(problems)
  const sessionGetter = config.API_SESSION_GETTER
  return { registry: { resources: open, byName, users }, settings, sessionGetter }
}

/** The declared tables, each with its columns and its resource. */
function declaredTables(
  models: Iterable<AnyModel>,
  byName: ReadonlyMap<string, Resource>,
): Map<string, DeclaredTable> {
  const tables = new Map<string, DeclaredTable>()
  for (const { name, table, columns } of models) {
    const known = tables.get(table)
    const own = Object.entries(columns).map(([field, { column }]) => column ?? field)
    tables.set(table, {
      columns: new Set([...(known?.columns ?? []), ...own]),
      resource: known?.resource ?? byName.get(name),
    })
  }
  return tables
}

/** The user model as a resource, even if it is not published, so that users are read like other records. */
function userResource(
  config: ApiConfig,
  published: readonly OpenResource[],
  letterCase: EndpointCase,
  problems: Problems,
): OpenResource | undefined {
  const model = config.API_USER_MODEL
  if (typeof model?.name !== 'string' || typeof model.columns !== 'object') return undefined
  const known = published.find((resource) => resource.model === model)
  if (known !== undefined) return known
  return openResource(model, {}, endpointNames(model.name, {}, letterCase), config, problems)
}

/** A resource before its relations are resolved. */
type OpenResource = Omit<Resource, 'relations' | 'roles'> & {
  relations: ReadonlyMap<string, ResolvedRelation>
  roles?: ResolvedRelation
}

function openResource(
  model: AnyModel,
  meta: Meta,
  names: EndpointNames,
  config: ApiConfig,
  problems: Problems,
): OpenResource {
  const allColumns = namedColumns(model, secretColumns(model, config))
  const primaryKey = [...allColumns.values()].filter((column) => column.definition.primaryKey)
  return {
    model,
    name: model.name,
    table: model.table,
    ...names,
    columns: new Map([...allColumns].filter(([, column]) => !column.hidden)),
    allColumns,
    primaryKey,
    uniqueKeys: [primaryKey, ...uniqueSets(model, allColumns)],
    relations: new Map(),
    settings: resolveResourceSettings(model, meta, config, problems),
  }
}

/** The unique columns, then the unique sets of the model; `checkModel` reports unknown names. */
function uniqueSets(
  { unique = [] }: AnyModel,
  columns: ReadonlyMap<string, NamedColumn>,
): readonly (readonly NamedColumn[])[] {
  const single = [...columns.values()].filter(({ definition }) => definition.unique === true)
  const sets = unique.map((set) => set.flatMap((name) => columns.get(name) ?? []))
  return [...single.map((column) => [column]), ...sets]
}
