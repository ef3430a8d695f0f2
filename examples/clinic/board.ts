// The board in the hall: the appointments of a site that are still open. It polls, and mostly hears that nothing has changed.

import type { Client } from '@model-api/core/client'
import type { Clinic } from './api.ts'

export interface BoardEntry {
  readonly starts_at: string
  /** Null if the caller may not read the technician. */
  readonly technician: string | null
}

export class Board {
  entries: readonly BoardEntry[] = []
  readonly #client: Client<Clinic>
  readonly #siteId: number
  #etag: string | null = null

  constructor(client: Client<Clinic>, siteId: number) {
    this.#client = client
    this.#siteId = siteId
  }

  /** Asks once. Returns whether the board has changed. */
  async poll(): Promise<boolean> {
    const read = await this.#client.appointments.list({
      where: { site_id: this.#siteId, status: 'open' },
      orderBy: ['starts_at', 'id'],
      fields: ['starts_at', 'technician.name'],
      limit: 50,
      ...(this.#etag === null ? {} : { ifNoneMatch: this.#etag }),
    })
    if (!read.ok) throw read.error
    if (read.status === 304) return false
    this.#etag = read.etag
    this.entries = (read.value ?? []).map(({ starts_at, name }) => ({
      starts_at,
      technician: name,
    }))
    return true
  }
}
