// ChangedUsers: collects the users that a write has removed, or changed in a way that may make them inactive (API_USER_ACTIVE).
// `auth/users/credential-cleanup.ts` reads them before COMMIT, and ends their refresh tokens and API keys.

import type { Resource } from '../../model/registry/resource.ts'
import { keyText } from '../../query/run/key.ts'
import type { StoredKey } from '../links/link-store.ts'
import type { Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { keyOfWritten } from './change-log.ts'

/** `WriteContext.users`: one for each attempt of a write. */
export class ChangedUsers {
  readonly #users: Resource
  readonly #columns: ReadonlySet<string>
  readonly #removed = new Map<string, StoredKey>()
  readonly #changed = new Map<string, StoredKey>()

  /** `columns`: the fields of a user that decide whether it is active. */
  constructor(users: Resource, columns: ReadonlySet<string>) {
    this.#users = users
    this.#columns = columns
  }

  /** The fields of a resource that decide; none of one that is not the user model. */
  columnsOf({ model }: Resource): ReadonlySet<string> {
    return model === this.#users.model ? this.#columns : noColumns
  }

  /** Notes a removed record, also one that is only marked as deleted. A new user may get its key in the same write. */
  removed(resource: Resource, stored: Values): void {
    if (resource.model === this.#users.model) addKey(this.#removed, keyOfWritten(resource, stored))
  }

  /** Notes a record that a statement has changed. The parameters are those of `ChangeLog.note`. */
  changed(resource: Resource, before: Values | null, after: Values): void {
    if (before === null || !this.#mayDeactivate(resource, before, after)) return
    const [old, key] = [keyOfWritten(resource, before), keyOfWritten(resource, after)]
    if (keyText(old) !== keyText(key)) addKey(this.#removed, old)
    addKey(this.#changed, key)
  }

  /** Whether the change sets one of the fields that decide to another value. */
  #mayDeactivate(resource: Resource, before: Values, after: Values): boolean {
    for (const name of this.columnsOf(resource)) {
      const column = resource.allColumns.get(name)
      const [old, value] = [before[name], after[name]]
      if (column === undefined || value === undefined) continue
      if (old === undefined || !sameValue(column, value, old)) return true
    }
    return false
  }

  /** The keys of users that are gone. */
  get gone(): readonly StoredKey[] {
    return [...this.#removed.values()]
  }

  /** The keys of users that may be inactive. */
  get unsure(): readonly StoredKey[] {
    return [...this.#changed.values()]
  }
}

const noColumns: ReadonlySet<string> = new Set()

const addKey = (to: Map<string, StoredKey>, key: StoredKey): void => {
  to.set(keyText(key), key)
}
