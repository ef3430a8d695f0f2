// CredentialCleanup: revokes the refresh tokens of a user and deletes its API keys in the transaction of the write that removes the user or
// makes it inactive (API_USER_ACTIVE), so that a later user with the same primary key and login name has none of them.

import type { ApiKeyStore } from '../../database/own-tables/api-keys.ts'
import type { RefreshTokenStore } from '../../database/own-tables/refresh-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { chunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { ChangedUsers } from '../../write/store/changed-users.ts'
import type { OpenedDatabase } from './look-up-user.ts'
import type { Users } from './users.ts'

/** Finds the users that a write has removed or made inactive, and revokes their credentials. */
export interface CredentialCleanup {
  readonly users: Resource
  /** The fields of a user that decide whether it is active, and its primary key. */
  readonly columns: ReadonlySet<string>
  /** Returns a new collector, to which one write adds the users that it changes. */
  collect(): ChangedUsers
  /** Revokes what the removed and inactive users have, on the transaction of the write; called before COMMIT. */
  revoke(opened: OpenedDatabase, changed: ChangedUsers): Promise<void>
}

/** What `createCredentialCleanup` takes. */
export interface CredentialCleanupParts {
  readonly users: Users
  /** Undefined if the API issues no tokens. */
  readonly tokens: RefreshTokenStore | undefined
  /** Undefined if the API keeps no keys. */
  readonly keys: ApiKeyStore | undefined
  readonly clock: Clock
}

/** Creates the cleanup of an API, which `http/endpoints/writes/write-stages.ts` calls for writes to the user model. */
export function createCredentialCleanup({
  users,
  tokens,
  keys,
  clock,
}: CredentialCleanupParts): CredentialCleanup {
  const { resource, decisive } = users
  return {
    users: resource,
    columns: decisive,
    collect: () => new ChangedUsers(resource, decisive),
    async revoke(opened, changed) {
      const ended = new Set(changed.gone.map((key) => userKeyText(users, key)))
      const active = await users.activeAmong(opened, changed.unsure)
      for (const key of changed.unsure) {
        const text = userKeyText(users, key)
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

const userKeyText = ({ resource, keyOf }: Users, key: readonly Value[]): string =>
  keyOf(Object.fromEntries(resource.primaryKey.map(({ name }, i) => [name, key[i]])) as never) ?? ''
