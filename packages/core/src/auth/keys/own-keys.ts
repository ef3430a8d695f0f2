// The API keys of users that the service stores in a table of its own (API_KEYS): makes, lists, deletes and verifies them.

import { type KeyLimits, limitedByKey } from '../../access/roles/key-limits.ts'
import type { ApiKeyStore, StoredApiKey } from '../../database/own-tables/api-keys.ts'
import { tooManyApiKeys } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { lruMap } from '../../lib/lru-map.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'
import { hashApiKey, isSameDigest } from '../tokens/digest.ts'
import type { Users } from '../users/users.ts'
import { keyIdIn, newKey, prefixOf } from './key-text.ts'

/** An API key without its secret. */
export interface ListedApiKey {
  readonly id: string
  /** What the key begins with. */
  readonly prefix: string
  readonly name: string
  /** The roles to which the key limits its user; null: all roles that the user has. */
  readonly scopes: readonly string[] | null
  /** ISO 8601. */
  readonly created_at: string
  /** ISO 8601; null: never. */
  readonly expires_at: string | null
  /** ISO 8601, to the minute; null: not used yet. */
  readonly last_used_at: string | null
}

/** A new API key; only this object has the key itself. */
export interface NewApiKey extends ListedApiKey {
  readonly key: string
}

/** What is decided about a new key. */
export interface KeyDraft extends KeyLimits {
  readonly name: string
}

/** The user of a key: its primary key and its login name, both as text. */
export interface KeyOwner {
  readonly key: string
  readonly lookup: string
}

/** Longest name of a key, in characters. */
export const longestName = 80

/** Most keys of one user. */
const mostKeys = 100

/** Milliseconds between two writes of the time at which a key was last used. */
const useInterval = 60 * 1000

/** Keys whose last use this process remembers (LRU). */
const rememberedUses = 1000

/** The digest that no key has. An unknown id is compared with it, so that the time does not tell whether an id exists. */
const noDigest = '0'.repeat(64)

/** The API keys that an API makes and verifies. */
export interface Keys {
  readonly store: ApiKeyStore
  /** Makes a key; rejects if its user has 100 of them. */
  make(db: AnyDatabase, owner: KeyOwner, draft: KeyDraft): Promise<NewApiKey>
  /** Returns the user of a key, limited to its scopes; undefined for a text that is no valid key, and if its user is gone or inactive. */
  userOf(request: ApiRequest, text: string): Promise<HookRecord | undefined>
}

/** What `createKeys` takes. */
export interface KeyParts {
  readonly store: ApiKeyStore
  readonly users: Users
  /** Returns the connection of a request. */
  readonly session: (request: ApiRequest) => MaybePromise<AnyDatabase>
  readonly clock: Clock
}

/** Creates the functions that make and verify keys. */
export function createKeys(parts: KeyParts): Keys {
  const { store, users, session, clock } = parts
  const uses = lruMap<number>(rememberedUses)

  /** Stores the time of a use, at most once a minute for each key. A failure must not refuse the request. */
  const noteUse = async (db: AnyDatabase, { id, lastUsedAt }: StoredApiKey): Promise<void> => {
    const now = clock.now()
    const last = Math.max(lastUsedAt ?? 0, uses.get(id) ?? 0)
    if (db.isTransaction || now - last < useInterval) return
    uses.set(id, now)
    await store.noteUse(db, id, now).catch(() => {})
  }
  return {
    store,
    async make(db, { key: userKey, lookup }, draft) {
      if ((await store.count(db, userKey)) >= mostKeys) throw tooManyApiKeys(mostKeys)
      const { id, text } = newKey()
      const digest = await hashApiKey(text)
      const { name, scopes, expiresAt } = draft
      const owner = { userKey, userLookup: lookup }
      const times = { createdAt: clock.now(), expiresAt, lastUsedAt: null }
      const stored: StoredApiKey = { id, digest, ...owner, name, scopes, ...times }
      await store.save(db, stored)
      // Counted again after the key is stored: of parallel requests, the last one counts all keys.
      if ((await store.count(db, userKey)) > mostKeys) {
        await store.delete(db, id)
        throw tooManyApiKeys(mostKeys)
      }
      return { ...shownKey(stored), key: text }
    },
    async userOf(request, text) {
      const id = keyIdIn(text)
      if (id === undefined) return undefined
      const digest = await hashApiKey(text)
      const db = await session(request)
      const key = await store.find(db, id)
      const isRight = isSameDigest(key?.digest ?? noDigest, digest)
      if (key === undefined || !isRight) return undefined
      if (hasExpired(key, clock.now())) return undefined
      const subject = { key: key.userKey, lookup: key.userLookup }
      const user = await users.bySubject(request, subject)
      if (!user) return undefined
      await noteUse(db, key)
      const { scopes, expiresAt } = key
      return limitedByKey(user, { scopes, expiresAt })
    },
  }
}

/** Returns what a listing shows of a key. */
export function shownKey(key: StoredApiKey): ListedApiKey {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt } = key
  return {
    id,
    prefix: prefixOf(id),
    name,
    scopes,
    created_at: iso(createdAt),
    expires_at: expiresAt === null ? null : iso(expiresAt),
    last_used_at: lastUsedAt === null ? null : iso(lastUsedAt),
  }
}

const hasExpired = ({ expiresAt }: StoredApiKey, now: number): boolean =>
  expiresAt !== null && expiresAt <= now

const iso = (ms: number): string => new Date(ms).toISOString()
