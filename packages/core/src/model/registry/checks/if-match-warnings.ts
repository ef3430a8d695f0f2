// Warns of models whose required If-Match refuses what on_delete does, or does not cover the links of their records.

import { settingNames } from '../../settings/setting-names.ts'
import { dependentsOf, hasModel } from '../relations/dependents.ts'
import type { Registry, Resource } from '../resource.ts'

export const ifMatchWarnings = (registry: Registry): readonly string[] =>
  registry.resources.flatMap((resource) => [
    ...refusedCascades(registry, resource),
    ...uncoveredLinks(resource),
  ])

/** A DELETE also deletes or changes dependents, and no request can send their ETags. */
function refusedCascades(registry: Registry, resource: Resource): readonly string[] {
  if (!resource.settings.methods.has('DELETE')) return []
  return dependentsOf(registry, resource)
    .filter(hasModel)
    .filter(({ onDelete }) => onDelete !== 'restrict')
    .filter((dependent) => dependent.resource.settings.requireIfMatchEverywhere)
    .map(
      ({ resource: { name }, onDelete }) =>
        `models.${resource.name}: a DELETE also ${onDelete === 'cascade' ? 'deletes' : 'changes'} its records of ${name} (on_delete: '${onDelete}'), but each of those needs its ETag in If-Match (${settingNames.requireIfMatch}), so a DELETE that reaches one is refused (428). Declare require_if_match: 'single' in the meta of ${name}, which asks for the ETag of the record in the path alone.`,
    )
}

/** Links of a junction table are no columns, so without a time of the last change they are not part of the ETag. */
function uncoveredLinks({ name, settings, allColumns, relations }: Resource): readonly string[] {
  if (!settings.requireIfMatch || !settings.allowNestedWrites || !settings.methods.has('PATCH')) {
    return []
  }
  if ([...allColumns.values()].some(({ definition }) => definition.managed === 'updated')) return []
  const links = [...relations.values()].find(
    ({ kind, through }) => kind === 'manyToMany' && through?.resource === undefined,
  )
  if (links === undefined) return []
  return [
    `models.${name}: If-Match is required (${settingNames.requireIfMatch}), but the ETag does not cover the links of "${links.name}", so two clients can overwrite each other's lists. Add a column with managed: 'updated', which changes with the links.`,
  ]
}
