// parseQueryOf: the query string of a request → AST, within the limits of its resource. Endpoints of reads use `parseRead`, which refuses the
// parameters of writes; endpoints that write no nested records use `refuseRelationWrites`.

import { notHere } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { limitSettingNames } from '../../../model/settings/setting-names.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import { parseQuery } from '../../../query/parse/parse-query.ts'
import { filterLike } from '../../../query/plan/conditions/filter-like.ts'
import type { Call } from '../../call/call.ts'

/** Parses the raw query of a request. Throws 400 if it exceeds a limit of the resource. */
export function parseQueryOf(call: Pick<Call, 'query'>, resource: Resource): QueryAst {
  const { additionalQueryParams, limits } = resource.settings
  return parseQuery(call.query, {
    additional: additionalQueryParams,
    filterLike: (unknown) => filterLike(resource, unknown),
    limits: {
      conditions: { setting: limitSettingNames.conditions, value: limits.conditions },
      relationFilters: {
        setting: limitSettingNames.relationFilters,
        value: limits.relationFilters,
      },
      aggregates: { setting: limitSettingNames.aggregates, value: limits.aggregates },
      list: { setting: limitSettingNames.list, value: limits.list },
    },
  })
}

const onlyOnWrites = ['cascade_delete', 'max_affected', 'on_conflict'] as const

/** `parseQueryOf` for requests that only read; throws 400 for parameters of writes. */
export function parseRead(call: Pick<Call, 'query'>, resource: Resource): QueryAst {
  const ast = parseQueryOf(call, resource)
  for (const name of onlyOnWrites) {
    const given = ast.single[name]
    if (given !== undefined) throw notHere(name, 'on a read', `${name}=${given.text}`)
  }
  refuseRelationWrites(ast, 'on a read')
  return ast
}

/** Throws 400 for `<relation>.on_conflict` and `<relation>.on_missing`. */
export function refuseRelationWrites({ raw, relationWrites }: QueryAst, where: string): void {
  const [first] = relationWrites
  if (first === undefined) return
  const at = raw.slice(first.span.start, first.span.end)
  throw notHere(at, where, at)
}
