// The parameter `<relation>.on_conflict`: with `POST /api/books?labels.on_conflict=name`, the object `{ "name": "new" }` in the list `labels`
// names the stored label of that name, or creates it (docs/guide/writing.md).

import {
  featureDisabled,
  notHere,
  repeatedParameter,
  unknownPathSegment,
} from '../../../../errors.ts'
import { didYouMean } from '../../../../lib/naming/suggest.ts'
import type { NamedColumn, Resource } from '../../../../model/registry/resource.ts'
import { settingNames } from '../../../../model/settings/setting-names.ts'
import type { QueryAst } from '../../../../query/parse/ast.ts'
import { noRelationKeys, type RelationKeys } from '../../../../write/body/read-record.ts'
import type { WriteRefusal } from '../../../../write/refusals/refusal.ts'
import { uniqueColumns } from './unique-columns.ts'

/** Returns the unique keys of the query by relation. Throws 400 for relations and columns that cannot be used so. */
export function relationKeysOf(
  resource: Resource,
  { raw, relationWrites }: QueryAst,
): RelationKeys {
  if (relationWrites.length === 0) return noRelationKeys
  const found = new Map<string, readonly NamedColumn[]>()
  for (const { option, path, value, span } of relationWrites) {
    if (option !== 'on_conflict') continue
    const at = raw.slice(span.start, span.end)
    if (!resource.settings.allowNestedWrites) {
      throw featureDisabled('Writing related records', settingNames.allowNestedWrites, at)
    }
    const [first, ...below] = path.map(({ text }) => text)
    const name = first ?? ''
    const relation = resource.relations.get(name)
    if (relation === undefined) {
      throw unknownPathSegment(name, didYouMean(name, [...resource.relations.keys()]), at)
    }
    if (below.length > 0) {
      throw notHere(at, 'for records that are nested more deeply', at)
    }
    if (relation.kind !== 'belongsTo' && relation.kind !== 'manyToMany') {
      throw notHere(at, `because the records of "${name}" belong to one record each`, at)
    }
    if (found.has(name)) throw repeatedParameter(`${name}.on_conflict`, at)
    found.set(name, uniqueColumns(relation.target, value.text, `${name}.on_conflict`))
  }
  return found
}

/**
 * Whether a refused transaction is repeated: another one may have created a record that a nested object of `resource` names after the
 * look-up, and the next look-up finds it. A refusal of another table would only be refused again.
 */
export function retriesNames(
  resource: Resource,
  keys: RelationKeys,
): (refusal: WriteRefusal) => boolean {
  const named = new Set([...keys.keys()].map((name) => resource.relations.get(name)?.target.table))
  return ({ failure: { kind }, step, resource: refused }) =>
    kind === 'unique' && keys.size > 0 && (step === 'link' || named.has(refused.table))
}
