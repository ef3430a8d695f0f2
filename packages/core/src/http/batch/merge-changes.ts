// mergedChanges: the changes of all operations of a batch as the callbacks before and after COMMIT receive them, with one change for each
// record: a record that one operation creates and another one updates is one `create`.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { Change, LinkChanges } from '../../model/settings/access/hook-types.ts'
import { isDeleted } from '../../write/nodes/is-deleted.ts'
import type { Values } from '../../write/nodes/node.ts'
import { mergedLinks } from '../../write/resolve/merged-links.ts'

/**
 * Merges the changes of each record: `before` is that of its first change, `after` that of the last one; `path` and `at` are those of the
 * last one with a path. A record that was created and deleted again gives none.
 */
export function mergedChanges(registry: Registry, changes: readonly Change[]): readonly Change[] {
  const resources = new Map(registry.resources.map((resource) => [resource.model, resource]))
  const merged = new Map<string, Change | undefined>()
  for (const change of changes) {
    const resource = resources.get(change.model) as Resource
    const text = (key: readonly unknown[]): string => stringify([resource.name, key] as JsonValue)
    const { before, key } = change
    const old = text(before === null ? key : resource.primaryKey.map(({ name }) => before[name]))
    const earlier = merged.get(old)
    // A callback may have changed the key.
    if (text(key) !== old) merged.delete(old)
    merged.set(text(key), earlier === undefined ? change : together(resource, earlier, change))
  }
  return [...merged.values()].filter((change) => change !== undefined)
}

/** One change from two consecutive ones of a record; undefined if the record was created and deleted again. */
function together(resource: Resource, first: Change, last: Change): Change | undefined {
  const { before } = first
  const { model, key, after } = last
  const action = actionOf(resource, before, after)
  if (action === undefined) return undefined
  const { path, at } = last.path === null && first.path !== null ? first : last
  const links = linksOf(first, last)
  return { action, model, key, path, at, before, after, ...(links && { links }) }
}

/** Returns what has happened to a record between its first and its last state; undefined if it was created and deleted again. */
function actionOf(
  resource: Resource,
  before: Change['before'],
  after: Change['after'],
): Change['action'] | undefined {
  if (before === null) return after === null ? undefined : 'create'
  if (after === null) return 'delete'
  const wasDeleted = isDeleted(resource, before as Values)
  if (wasDeleted === isDeleted(resource, after as Values)) return 'update'
  return wasDeleted ? 'restore' : 'delete'
}

function linksOf({ links: first }: Change, { links: last }: Change): Change['links'] {
  const lists: [string, LinkChanges][] = []
  for (const name of new Set([...Object.keys(first ?? {}), ...Object.keys(last ?? {})])) {
    const list = mergedLinks([first?.[name], last?.[name]], (key) => stringify([...key]))
    if (list !== undefined) lists.push([name, list])
  }
  return lists.length === 0 ? undefined : Object.fromEntries(lists)
}
