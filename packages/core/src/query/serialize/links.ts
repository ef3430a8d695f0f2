// URLs in responses: of records (`/api/books/1`), relations (`/api/books/1/author`), next and previous pages.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'

/** Returns the path of a resource's collection under `base` (origin, mount prefix and API prefix). */
export const collectionUrl = (resource: Resource, base: string): string =>
  `${base}/${resource.paths[0] ?? resource.endpoint}`

/** Returns the path of one record: the values of the primary key in order, each percent-encoded, joined by a raw comma. */
export const keyUrl = (
  resource: Resource,
  key: readonly (JsonValue | bigint | undefined)[],
  base: string,
): string => {
  const parts = resource.primaryKey.map((column, i) => keyPart(column, key[i]))
  return `${collectionUrl(resource, base)}/${parts.join(',')}`
}

/** Formats a key value for a path. */
export function keyPart(column: NamedColumn, value: JsonValue | bigint | undefined): string {
  // Integers, the most common keys, need no encoding.
  if (Number.isSafeInteger(value)) return String(value)
  return encodeURIComponent(columnTypes[column.type].pathText(String(value), column))
}

/** Returns the URL of a relation in a row; null for a to-one relation whose foreign key is null. */
export function relationUrl(
  relation: ResolvedRelation,
  values: Readonly<Record<string, JsonValue>>,
  base: string,
): string | null {
  const missing = relation.from.some(({ name }) => (values[name] ?? null) === null)
  if (relation.kind === 'belongsTo' && missing) return null
  const { address } = relation
  if (address === null) throw new Error(`${relation.name} has no URL`)
  const key = address.key.map(({ name }) => values[name])
  return keyUrl(address.resource, key, base) + address.rest
}

/** The parameters that `pageUrl` replaces. */
const paging = new Set(['page', 'limit', 'after', 'before'])

/**
 * Returns the URL of the request with other paging parameters; all other parameters stay as the client wrote them, except characters
 * that no URL can contain. The body of a QUERY may contain them.
 */
export function pageUrl(
  path: string,
  rawQuery: string,
  replaced: Readonly<Record<string, string>>,
): string {
  let url = path
  let separator = '?'
  const add = (pair: string): void => {
    url += separator + pair
    separator = '&'
  }
  for (let start = 0; start < rawQuery.length; ) {
    const next = rawQuery.indexOf('&', start)
    const end = next === -1 ? rawQuery.length : next
    const pair = rawQuery.slice(start, end)
    if (pair !== '' && !paging.has(decodedName(pair))) add(asUrl(pair))
    start = end + 1
  }
  for (const name of Object.keys(replaced)) add(`${name}=${replaced[name]}`)
  return url
}

/** Percent-encodes what would end a URL (`#`), a link in a header (`>`), or the header itself. */
const asUrl = (pair: string): string => pair.replace(notInUrl, encoded)

/** Control characters and spaces, `#`, `<`, `>`, and all that is not ASCII. */
const notInUrl = /[\0- #<>\x7f-\uffff]+/g

const encoded = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

/** The name of a pair `name=value`, decoded if it can be. */
function decodedName(pair: string): string {
  const end = pair.indexOf('=')
  const name = end === -1 ? pair : pair.slice(0, end)
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
