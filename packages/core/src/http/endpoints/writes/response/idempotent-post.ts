// Idempotency-Key: a repeated POST receives the stored response of the first one instead of running again (docs/guide/writing.md). A request
// first claims the key in a table of the service, then stores its response in the transaction of its write. Batches use the same functions.

import { hasDump } from '../../../../access/hooks/read-hooks.ts'
import { sha256Hex } from '../../../../auth/tokens/digest.ts'
import { isOutcomeUnknown } from '../../../../database/leases/in-transaction.ts'
import {
  type Claim,
  ClaimLost,
  type ClaimOutcome,
  claimKey,
  type HeldClaim,
  type KeyStore,
  readKeyState,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from '../../../../database/own-tables/idempotency-keys.ts'
import {
  badIdempotencyKey,
  idempotencyKeyReused,
  requestInProgress,
  userWithoutKey,
} from '../../../../errors.ts'
import { comparableText } from '../../../../lib/json/comparable-text.ts'
import type { JsonValue } from '../../../../lib/json/json-value.ts'
import { stringify } from '../../../../lib/json/stringify.ts'
import { hashOfText } from '../../../../lib/text-hash.ts'
import { withTimeLimit } from '../../../../lib/time-limit.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import { header } from '../../../../model/request.ts'
import type { QueryAst } from '../../../../query/parse/ast.ts'
import { valueOfJson } from '../../../../query/plan/conditions/value.ts'
import type { Value } from '../../../../query/plan/plan.ts'
import { allSourcesOf } from '../../../../query/plan/relations/sources.ts'
import type { Opened } from '../../../../query/scoper.ts'
import { collectionUrl } from '../../../../query/serialize/links.ts'
import type { Call } from '../../../call/call.ts'
import type { Result } from '../../../envelope.ts'
import { callerIdentityOf, type UserIdentity } from '../../auth/user-identity.ts'
import {
  type OpenedBy,
  openRequestDatabase,
  withNewestRows,
  withOneConnection,
} from '../../reads/database/request-database.ts'
import type { Writing } from '../write-stages.ts'
import { type Echo, planEcho, readEchoes } from './echo.ts'

/** Stores the response of a write inside its transaction. */
export type StoreResponse = (
  writing: Writing,
  result: Result,
  keys: readonly (readonly Value[])[],
) => Promise<void>

/** In characters. All anonymous clients share their keys, so these must be long enough not to be chosen twice. */
const minAnonymousLength = 16
const maxLength = 255

/**
 * Runs a POST, or replays the stored response of its key, without the records that the caller may no longer read. `work` runs the request;
 * with a key, it calls `storeResponse` in the transaction of the write. `body` is the JSON that was sent: the same key with another body is 422.
 */
export function idempotent(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  body: JsonValue,
  work: (storeResponse: StoreResponse | undefined) => Promise<Result>,
): Promise<Result> {
  const key = header(call.request, 'idempotency-key')
  return key === undefined ? work(undefined) : runOnce(call, resource, ast, { key, body }, work)
}

/** `idempotent` for a request with a key. */
async function runOnce(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { key, body }: { readonly key: string; readonly body: JsonValue },
  work: (storeResponse: StoreResponse) => Promise<Result>,
): Promise<Result> {
  const route = collectionUrl(resource, call.runtime.routing.table.plainPrefix)
  const owner = callerIdentityOf(call.runtime.registry.users, call.caller)
  const claim = await claimOf({ query: call.query, body }, owner, route, key)
  return onceFor(call, claim, {
    replay: (own, response) => replay(call, own, resource, ast, response),
    work: (held) =>
      work(async (writing, result, keys) =>
        storeResponse(storeOf(call, writing.opened), held, {
          ...responseOf(result, keys),
          authority: await authorityOf(call),
        }),
      ),
  })
}

/** How to run a request with an Idempotency-Key, and how to repeat its stored response. */
export interface Once {
  /** Runs the request, and stores its response in its transaction. */
  readonly work: (held: HeldClaim) => Promise<Result>
  /** Makes the response of a repetition of what is stored. */
  readonly replay: (own: Opened, response: StoredResponse) => Promise<Result>
}

/** Claims the key and runs the request, or repeats its stored response. */
export async function onceFor(call: OpenedBy, claim: Claim, once: Once): Promise<Result> {
  const opened = await openRequestDatabase(call)
  const held = await claimOrReplay(call, opened, claim, once)
  // Not a claim, but the stored response.
  if ('status' in held) return held
  try {
    return await once.work(held)
  } catch (error) {
    if (error instanceof ClaimLost) {
      // This request's transaction was rolled back. The request that took over the key has responded, or will.
      const look = (store: KeyStore) => readKeyState(store, claim)
      const found = await replayIfAnswered(call, opened, once, look)
      if ('status' in found) return found
    }
    // The write and its response may be stored, so the key must not be released. If they are not, the claim expires.
    if (isOutcomeUnknown(error)) throw error
    // Nothing was stored, so the key is released. If that fails too, its claim expires.
    await release(call, opened, held)
    throw error
  }
}

/** Claims the key, or replays its stored response. If the claim fails but may have been stored, it is released. */
async function claimOrReplay(
  call: OpenedBy,
  opened: Opened,
  claim: Claim,
  once: Once,
): Promise<HeldClaim | Result> {
  let releasing: Promise<void> | undefined
  const onUncertain = (held: HeldClaim): void => {
    releasing = release(call, opened, held)
  }
  try {
    const claimIt = (store: KeyStore) => claimKey({ ...store, onUncertain }, claim)
    return await replayIfAnswered(call, opened, once, claimIt)
  } catch (error) {
    await releasing
    throw error
  }
}

/** How many milliseconds an error response waits until its key is released. The database may be unavailable for longer. */
const releaseWait = 1_000

/** Releases a key; if that takes longer than `releaseWait`, it continues after the response. */
const release = (call: OpenedBy, opened: Opened, held: HeldClaim): Promise<void> =>
  withTimeLimit(releaseKey(storeOf(call, opened), held), releaseWait, () => undefined).catch(
    () => {},
  )

/**
 * Runs `ask` and replays the response if it finds one. Both use one connection: the pool may connect to several servers, and the
 * server that has the stored response also has its records.
 */
function replayIfAnswered(
  call: OpenedBy,
  opened: Opened,
  { replay }: Once,
  ask: (store: KeyStore) => Promise<ClaimOutcome>,
): Promise<HeldClaim | Result> {
  return withOneConnection(opened, async (own) => {
    const outcome = await ask(storeOf(call, own))
    switch (outcome.kind) {
      case 'busy':
        throw requestInProgress()
      case 'mismatch':
        throw idempotencyKeyReused()
      case 'answered':
        return replay(own, outcome.response)
      case 'claimed':
        return outcome.held
    }
  })
}

/** The store of the keys, on a connection. */
export const storeOf = (
  { runtime }: Pick<Call, 'runtime'>,
  { lease }: Pick<Opened, 'lease'>,
): KeyStore => ({
  lease,
  schema: runtime.database.schema,
  now: () => runtime.clock.now(),
  elapsed: () => runtime.clock.elapsed(),
})

/**
 * The claim of a key. `route` is the canonical URL: different spellings of a route share keys, but two APIs on one database do
 * not.
 */
export async function claimOf(
  { query, body }: { readonly query: string; readonly body: JsonValue },
  owner: UserIdentity,
  route: string,
  key: string,
): Promise<Claim> {
  if (owner.kind === 'unknown') throw userWithoutKey()
  const identity = owner.kind === 'user' ? owner.identity : null
  const min = identity === null ? minAnonymousLength : 1
  if (!/^[\x21-\x7e]+$/.test(key) || key.length < min || key.length > maxLength) {
    throw badIdempotencyKey(`${min} to ${maxLength} visible characters`)
  }
  return {
    // If two claims had the same id, one user could see the response to another.
    id: await sha256Hex(stringify([identity, route, key])),
    // With the key, of which the table has only a digest: otherwise its readers could test guesses of what a body contains.
    // The body counts as the value that was read, so that text, bytes and a body that the host has parsed are the same request.
    fingerprint: await sha256Hex(stringify([key, query, comparableText(body)])),
  }
}

/** Returns the response of a write in the form in which its key stores it. */
function responseOf(
  result: Result,
  keys: readonly (readonly Value[])[],
): Omit<StoredResponse, 'authority'> {
  return {
    status: result.status,
    headers: result.headers ?? {},
    total: result.total ?? keys.length,
    value: result.value,
    many: Array.isArray(result.value),
    ...(result.record === undefined ? {} : { recordHash: hashOfText(result.record) }),
    keys: keys.map((key) =>
      key.map((value) => (typeof value === 'bigint' ? String(value) : value)),
    ),
  }
}

/**
 * A hash of the resources that the caller may list, which decide what is embedded, and of the columns that the caller may
 * not read. The claim's id depends on the user, but not on their roles.
 */
export const authorityOf = ({
  registry: { resources, unreadable },
  reach,
}: Call): Promise<string> => {
  const listed = resources.filter(reach).map(({ name }) => name)
  return sha256Hex(stringify(unreadable.length === 0 ? listed : [listed, unreadable]))
}

/**
 * Whether the stored value may be sent: if the caller may list the same resources, and no policy of an embedded resource
 * and no dump callback could give another value for this request. The base rows are read again in any case.
 */
async function mayReuseValue(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { authority }: StoredResponse,
): Promise<boolean> {
  const plan = planEcho(resource, ast, call.reach, 'list')
  const { policies } = call.runtime.access
  for (const source of allSourcesOf(plan)) {
    if (source !== plan.rows.from && policies.has(source.resource)) return false
  }
  if (call.hooks.dump !== undefined || hasDump(resource, plan.embeds)) return false
  return authority === (await authorityOf(call))
}

/**
 * The stored response. Its records are read again, and policies are called again: a record that the caller may no longer read is null,
 * and so is a deleted one, unless `keepsDeleted`.
 */
export async function replay(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  response: StoredResponse,
  keepsDeleted = false,
): Promise<Result> {
  const keys = response.keys.map((key) =>
    key.map((value, i) => {
      const column = resource.primaryKey[i]
      return (column && valueOfJson(column, value)) as Value
    }),
  )
  const echoes = await readEchoes(call, withNewestRows(call, opened), resource, ast, keys)
  const reuses = await mayReuseValue(call, resource, ast, response)
  const stored = response.many ? (response.value as readonly JsonValue[] | undefined) : undefined
  const values = echoes.map(({ value }, i) => {
    if (!reuses || (value === null && !keepsDeleted)) return value
    return (response.many ? stored?.[i] : response.value) ?? value
  })
  return {
    status: response.status,
    value: response.many ? values : (values[0] ?? null),
    total: response.total,
    headers: { ...response.headers, 'idempotency-replayed': 'true' },
    ...(response.many ? {} : versionOf(values[0] ?? null, response, echoes[0])),
  }
}

/** What the ETag of a repeated response is made of: the record as stored with the value, or as read again with it. */
function versionOf(
  value: JsonValue,
  { recordHash }: StoredResponse,
  echo: Echo | undefined,
): Pick<Result, 'record' | 'recordHash'> {
  if (value === null) return {}
  if (value === echo?.value) return echo.record === undefined ? {} : { record: echo.record }
  return recordHash === undefined ? {} : { recordHash }
}
