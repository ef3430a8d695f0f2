// UserEndings: what ends with a user. Its refresh tokens are revoked and its API keys deleted in the transaction of the write that removes
// it or makes it inactive, so that a later user with the same primary key and login name has none of them.

import type { ApiKeyStore } from '../../database/own-tables/api-keys.ts'
import type { RefreshTokenStore } from '../../database/own-tables/refresh-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { chunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { ChangedUsers } from '../../write/store/changed-users.ts'
import type { OpenedDatabase } from './look-up-user.ts'
import type { Users } from './users.ts'

export interface UserEndings {
  readonly users: Resource
  /** The fields of a user that decide whether it is active, and its primary key. */
  readonly columns: ReadonlySet<string>
  /** Collects the users that a write changes. */
  collect(): ChangedUsers
  /** Ends what the removed and inactive users have, in the transaction of the write. */
  end(opened: OpenedDatabase, changed: ChangedUsers): Promise<void>
}

export interface UserEndingsParts {
  readonly users: Users
  /** Undefined if the API issues no tokens. */
  readonly tokens: RefreshTokenStore | undefined
  /** Undefined if the API keeps no keys. */
  readonly keys: ApiKeyStore | undefined
  readonly clock: Clock
}

export function createUserEndings({ users, tokens, keys, clock }: UserEndingsParts): UserEndings {
  const { resource, decisive } = users
  return {
    users: resource,
    columns: decisive,
    collect: () => new ChangedUsers(resource, decisive),
    async end(opened, changed) {
      const ended = new Set(changed.gone.map((key) => textOf(users, key)))
      const active = await users.activeAmong(opened, changed.unsure)
      for (const key of changed.unsure) {
        const text = textOf(users, key)
        if (!active.has(text)) ended.add(text)
      }
      const { db } = opened.lease
      for (const some of chunks([...ended], 1)) {
        await tokens?.endAll(db, some, clock.now())
        await keys?.endAll(db, some)
      }
    },
  }
}

const textOf = ({ resource, keyOf }: Users, key: readonly Value[]): string =>
  keyOf(Object.fromEntries(resource.primaryKey.map(({ name }, i) => [name, key[i]])) as never) ?? ''
