// RemovedLinkCount: the limit on the links that the lists of one request remove (API_MAX_BULK): `PATCH /api/people/1 {"teams": []}` removes
// all.

import { tooManyRecords } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { maxBulkNames } from '../../model/settings/setting-names.ts'

/** Counts the links, and the children, that the lists of a write remove, all together. The limit is that of the model in the path. */
export class RemovedLinkCount {
  /** The model in the path. */
  readonly top: Resource
  #count = 0

  constructor(top: Resource) {
    this.top = top
  }

  /** Adds links, which are records of `resource` or lead to its records, before they are removed; throws 400 beyond the limit. */
  add({ endpoint }: Resource, links: number): void {
    this.#count += links
    const { bulk } = this.top.settings.limits
    if (this.#count <= bulk) return
    const concerned = { endpoint, below: this.top.endpoint }
    const why = ' The lists of the body would remove more links.'
    throw tooManyRecords(concerned, maxBulkNames, bulk, undefined, why)
  }
}
