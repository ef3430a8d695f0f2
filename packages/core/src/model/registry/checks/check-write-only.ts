// Checks at start-up what a model and its relations do with write-only columns. `check-column.ts` checks the options of the columns themselves.

import type { Problems } from '../../settings/setting-problems.ts'
import { keysOf } from '../caller-registry.ts'
import type { Resource } from '../resource.ts'
import { conflictRevealsValue } from './check-column.ts'
import { isSoftDeleteAttribute, isWriteOnly } from './field-rules.ts'

/** Reports write-only columns whose values responses, statuses or queries would tell. The relations are resolved. */
export function checkWriteOnly(resource: Resource, problems: Problems): void {
  const { model, allColumns, allRelations } = resource
  const at = `models.${model.name}`
  for (const [i, set] of (model.unique ?? []).entries()) {
    for (const name of set) {
      const column = allColumns.get(name)
      if (column === undefined || !isWriteOnly(column)) continue
      problems.add(
        `${at}.unique[${i}]`,
        `"${name}": ${conflictRevealsValue} Leave it out of the set.`,
      )
    }
  }
  for (const column of allColumns.values()) {
    if (!isWriteOnly(column) || !isSoftDeleteAttribute(resource, column)) continue
    const why = 'include_deleted tells which records are deleted'
    problems.add(`${at}.columns.${column.name}`, `${why}; declare hidden: true, not writeOnly.`)
  }
  for (const relation of allRelations.values()) {
    for (const { name } of keysOf(relation).filter(isWriteOnly)) {
      const why = 'the records of a relation would tell its value'
      problems.add(
        `${at}.relations.${relation.name}`,
        `its key "${name}" is write-only, but ${why}; leave writeOnly or the relation out.`,
      )
    }
  }
}
