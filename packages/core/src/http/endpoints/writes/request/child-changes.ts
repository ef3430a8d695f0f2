// The parameter `<relation>.on_missing`: `PATCH /api/orders/1?lines.on_missing=remove` deletes the lines of order 1 that the list `lines` in
// the body does not contain; `keep`, the default, leaves them (docs/guide/writing.md).

import {
  featureDisabled,
  invalidParameter,
  notHere,
  repeatedParameter,
  unknownPathSegment,
} from '../../../../errors.ts'
import { didYouMean } from '../../../../lib/naming/suggest.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import { settingNames } from '../../../../model/settings/setting-names.ts'
import type { QueryAst, RelationWriteNode } from '../../../../query/parse/ast.ts'
import type { ChildChanges } from '../../../../write/body/read-record.ts'

/**
 * Returns which lists of a PATCH or PUT remove the children that they do not contain: those with `on_missing=remove`, and with `replace`, of
 * a PUT, all of them.
 */
export function childChangesOf(
  resource: Resource,
  ast: QueryAst,
  { replace }: { readonly replace: boolean },
): ChildChanges {
  const removing = new Set<string>()
  const known = new Set<string>()
  for (const node of ast.relationWrites) {
    if (node.option !== 'on_missing') continue
    const name = node.path.map(({ text }) => text).join('.')
    const at = ast.raw.slice(node.span.start, node.span.end)
    if (!resource.settings.allowNestedWrites) {
      throw featureDisabled('Writing related records', settingNames.allowNestedWrites, at)
    }
    requireChildren(resource, node, at)
    if (known.has(name)) throw repeatedParameter(`${name}.on_missing`, at)
    known.add(name)
    const { text } = node.value
    if (text !== 'remove' && text !== 'keep') {
      throw invalidParameter(`${name}.on_missing`, text, '"remove" or "keep"')
    }
    if (replace && text === 'keep') {
      throw notHere(at, 'in a PUT, whose lists are the whole ones', at)
    }
    if (text === 'remove') removing.add(name)
  }
  return { removes: (path) => replace || removing.has(path.join('.')) }
}

/** Throws 400 unless the path leads over lists of children. */
function requireChildren(top: Resource, { path }: RelationWriteNode, at: string): void {
  let resource = top
  for (const { text: name } of path) {
    const relation = resource.relations.get(name)
    if (relation === undefined) {
      throw unknownPathSegment(name, didYouMean(name, [...resource.relations.keys()]), at)
    }
    if (relation.kind !== 'hasMany') {
      throw notHere(at, `because "${name}" is no list of children`, at)
    }
    resource = relation.target
  }
}

/** Throws 400 for `<relation>.on_missing` where a list removes no children. */
export function refuseOnMissing({ raw, relationWrites }: QueryAst, where: string): void {
  const given = relationWrites.find(({ option }) => option === 'on_missing')
  if (given === undefined) return
  const at = raw.slice(given.span.start, given.span.end)
  throw notHere(at, where, at)
}
