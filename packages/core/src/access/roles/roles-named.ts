// rolesNamed: the roles that the rules of an API name, for the listing of `api.exposure()` and for warnings.

import type { Registry } from '../../model/registry/resource.ts'
import { rolesOf } from './roles.ts'

/** Returns every role that a rule names, in alphabetical order. */
export function rolesNamed({ resources }: Registry): readonly string[] {
  const rules = resources.flatMap(({ settings, allColumns, aggregates }) => [
    ...settings.roleMaps.flatMap(({ map }) => Object.values(map)),
    ...[...allColumns.values(), ...aggregates.values()].flatMap(
      ({ definition: { read, write } }) => [read, write],
    ),
  ])
  const named = rules.flatMap((rule) =>
    rule === undefined || typeof rule === 'function' ? [] : rolesOf(rule),
  )
  return [...new Set(named)].sort()
}
