// The registry: declared models become resources, once, at start-up; everything that does not fit is reported together.

import { checkConfig, checkMeta } from '../config/check-settings.ts'
import type { ApiConfig, SessionGetter } from '../config/config.ts'
import type { Meta } from '../config/meta.ts'
import { collectProblems, type Problems, throwProblems } from '../config/problems.ts'
import { resolveApiSettings, resolveResourceSettings } from '../config/resolve-settings.ts'
import type { ApiSettings } from '../config/settings.ts'
import { checkSoftDelete } from '../config/soft-delete.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { AnyModel } from '../model/define-model.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { checkModel } from './check-model.ts'
import { collectModels } from './collect-models.ts'
import { type EndpointNames, endpointNames } from './endpoint-name.ts'
import { linkInverses } from './inverse.ts'
import { namedColumns } from './named-columns.ts'
import { type DeclaredTable, resolveRelations } from './resolve-relations.ts'
import type { Registry, ResolvedRelation, Resource } from './resource.ts'

/** What a registry is built from. */
export interface RegistryOptions {
  readonly models?: readonly AnyModel[]
  readonly config?: ApiConfig
  /** Asked whether it can serve each column exactly. */
  readonly dialect?: Pick<Dialect, 'refuses'>
}

/**
 * Publishes the models that have meta, and resolves all settings.
 *
 * Throws one Error that lists everything that is wrong.
 *
 * ```ts
 * const { registry, settings } = buildRegistry({ models: [Author, Book], config: { API_TITLE: 'Library' } })
 * registry.byName.get('Book')?.endpoint // 'books'
 * ```
 */
export function buildRegistry(options: RegistryOptions): {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** API_SESSION_GETTER, where it is set. */
  readonly sessionGetter: SessionGetter | undefined
} {
  const problems = collectProblems()
  const config = checkConfig(options.config, problems)
  const settings = resolveApiSettings(config)
  const models = collectModels(options.models ?? [], config.API_BASE_MODEL, problems)

  const published = [...models.values()].flatMap((model) =>
    model.meta === undefined ? [] : [{ model, meta: checkMeta(model.name, model.meta, problems) }],
  )
  const open = published.map(({ model, meta }) => {
    const names = endpointNames(model.name, meta, settings.endpointCase)
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
  const scope = { models, tables, byName, endpointCase: settings.endpointCase, problems }
  for (const resource of open) resource.relations = resolveRelations(resource, scope)
  linkInverses(open)

  throwProblems(problems)
  const sessionGetter = config.API_SESSION_GETTER
  return { registry: { resources: open, byName }, settings, sessionGetter }
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

/** A resource whose relations are still to be resolved. */
type OpenResource = Omit<Resource, 'relations'> & {
  relations: ReadonlyMap<string, ResolvedRelation>
}

function openResource(
  model: AnyModel,
  meta: Meta,
  names: EndpointNames,
  config: ApiConfig,
  problems: Problems,
): OpenResource {
  const allColumns = namedColumns(model)
  return {
    model,
    name: model.name,
    table: model.table,
    ...names,
    columns: new Map([...allColumns].filter(([, column]) => !column.hidden)),
    allColumns,
    primaryKey: [...allColumns.values()].filter((column) => column.definition.primaryKey),
    relations: new Map(),
    settings: resolveResourceSettings(model, meta, config, problems),
  }
}
