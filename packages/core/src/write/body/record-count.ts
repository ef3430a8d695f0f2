// RecordCount: the limit on the records of one request, nested ones included (API_MAX_BULK). It counts while the body is read, and refuses
// the body at the first record that is too many.

import { tooManyRecords } from '../../errors.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { maxBulkNames } from '../../model/settings/setting-names.ts'
import { keyText } from '../../query/run/key.ts'
import type { NestedNode } from '../nodes/node.ts'

/**
 * Counts what a body writes: its records, the nested objects that may create a record, and the objects of its lists, each of which
 * is a record or a link. The limit is that of the model in the path, and counts the records of all models together.
 */
export class RecordCount {
  /** The model in the path. */
  readonly #top: Resource
  /** The names (`nameOf`) of the records that were counted. */
  readonly #named = new Set<string>()
  #count = 0

  constructor(top: Resource) {
    this.#top = top
  }

  /** Adds records; throws 400 beyond the limit. */
  add(resource: Resource, records: number): void {
    this.#count += records
    this.#refuse(resource, this.#count)
  }

  /**
   * Adds the record that a nested to-one object may create: none if it can only name a stored one, one for all objects with the same name.
   */
  addParent(node: NestedNode): void {
    const name = nameOf(node)
    if (name === undefined || this.#named.has(name)) return
    if (name !== '') this.#named.add(name)
    this.add(node.resource, 1)
  }

  /** Throws 400 if a body whose nested records are written for each of so many records, as by a PATCH with filters, is beyond the limit. */
  refuseTimes(records: number): void {
    this.#refuse(this.#top, this.#count * records)
  }

  #refuse({ endpoint }: Resource, count: number): void {
    const { bulk } = this.#top.settings.limits
    if (count <= bulk) return
    throw tooManyRecords({ endpoint, below: this.#top.endpoint }, maxBulkNames, bulk)
  }
}

/** The key by which an object finds or creates its record; empty if it always creates one, undefined if it never does. */
function nameOf(node: NestedNode): string | undefined {
  const { resource } = node
  if (node.kind === 'reference') {
    return node.otherwise === null ? undefined : `${resource.name} ${keyText(node.key)}`
  }
  if (node.kind === 'child' || node.uniqueName === undefined) return ''
  const names = node.uniqueName.columns.map(({ name }) => name)
  return `${resource.name} ${stringify(names.map((name) => [name, node.values[name] ?? null]))}`
}
