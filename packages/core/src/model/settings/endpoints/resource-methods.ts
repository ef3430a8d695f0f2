// The methods of a resource: those that are configured, and GET alone for a model that can only be read.

import type { AnyModel } from '../../define-model.ts'
import type { MethodName } from '../config.ts'
import type { Meta } from '../meta.ts'
import type { Problems } from '../setting-problems.ts'

/** Returns why the rows of a model cannot be written; undefined if they can. */
function whyReadOnly({ columns, readOnly }: AnyModel): string | undefined {
  if (readOnly === true) return 'is read only (readOnly)'
  const hasKey = Object.values(columns).some(({ primaryKey }) => primaryKey === true)
  return hasKey ? undefined : 'has no primary key, so it is read only'
}

/**
 * Returns the methods of a model, of those that are `configured`. Reports methods and settings of writes in the meta of a read-only model; those
 * in config do not apply to such a model.
 */
export function resourceMethods(
  model: AnyModel,
  meta: Meta,
  configured: readonly MethodName[],
  problems: Problems,
): ReadonlySet<MethodName> {
  const why = whyReadOnly(model)
  if (why === undefined) return new Set(configured)
  const at = `models.${model.name}.meta`
  const asked = meta.allowed_methods?.filter((method) => method !== 'GET') ?? []
  if (asked.length > 0) {
    const remedy = model.readOnly ? '' : ', or mark its key primaryKey: true'
    problems.add(
      `${at}.allowed_methods`,
      `${model.name} ${why}; take ${asked.join(', ')} away${remedy}.`,
    )
  }
  const { allow_bulk: bulk } = meta
  if (bulk === true || (Array.isArray(bulk) && bulk.length > 0)) {
    problems.add(`${at}.allow_bulk`, `${model.name} ${why}; there is nothing to write in bulk.`)
  }
  return new Set(configured.filter((method) => method === 'GET'))
}
