// Idempotency-Key: a POST that is sent again is answered as before instead of being done again (contract §8).

import type { Call } from '../call.ts'
import {
  badIdempotencyKey,
  idempotencyKeyReused,
  requestInProgress,
  userWithoutKey,
} from '../errors.ts'
import {
  type Claim,
  ClaimLost,
  type ClaimOutcome,
  claimKey,
  type HeldClaim,
  type KeyStore,
  lookAtKey,
  releaseKey,
  type StoredAnswer,
  storeAnswer,
} from '../execute/idempotency-store.ts'
import { isOutcomeUnknown } from '../execute/transaction.ts'
import { hasDump } from '../hooks/read-hooks.ts'
import type { Result } from '../http/envelope.ts'
import { collectionUrl } from '../http/links.ts'
import { header } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Value } from '../plan/plan.ts'
import { allSourcesOf } from '../plan/sources.ts'
import { planValueOf } from '../plan/write-value.ts'
import type { Resource } from '../registry/resource.ts'
import { withTimeLimit } from '../time-limit.ts'
import { keyOwnerOf } from './key-owner.ts'
import { planEcho, readBack } from './read-back.ts'
import { type Opened, open, openedOnOne } from './read-stages.ts'
import type { Writing } from './write-stages.ts'

/** Stores the answer of a write inside its transaction. */
export type Remember = (
  writing: Writing,
  result: Result,
  keys: readonly (readonly Value[])[],
) => Promise<void>

/** Without a user, only the key tells clients apart. */
const shortestAnonymous = 16
const longest = 255

/** Runs a POST, unless its key has been answered before: then the stored answer, as far as its reader may still see it. */
export function idempotent(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  work: (remember: Remember | undefined) => Promise<Result>,
): Promise<Result> {
  const key = header(call.request, 'idempotency-key')
  return key === undefined ? work(undefined) : once(call, resource, ast, key, work)
}

async function once(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  key: string,
  work: (remember: Remember) => Promise<Result>,
): Promise<Result> {
  const claim = await claimOf(call, resource, key)
  const opened = await open(call)
  const begun = await claimed(call, opened, resource, ast, claim)
  if ('status' in begun) return begun
  try {
    return await work(async (writing, result, keys) =>
      storeAnswer(storeOf(call, writing.opened), begun, {
        ...answerOf(result, keys),
        authority: await authorityOf(call),
      }),
    )
  } catch (error) {
    if (error instanceof ClaimLost) {
      // Rolled back. Whoever has the key now has answered, or will.
      const look = (store: KeyStore) => lookAtKey(store, claim)
      const found = await claimOrAnswer(call, opened, resource, ast, look)
      if ('status' in found) return found
    }
    // What may be stored keeps its key: the answer is there with it, or the lease ends by itself.
    if (isOutcomeUnknown(error)) throw error
    // A failure leaves nothing behind, so the key is free again; if that fails too, its lease ends by itself.
    await givenBack(call, opened, begun)
    throw error
  }
}

/** The claim, or what was answered before. A claim that failed although it may be stored is given back. */
async function claimed(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  claim: Claim,
): Promise<HeldClaim | Result> {
  let release: Promise<void> | undefined
  const onUncertain = (held: HeldClaim): void => {
    release = givenBack(call, opened, held)
  }
  try {
    const ask = (store: KeyStore) => claimKey({ ...store, onUncertain }, claim)
    return await claimOrAnswer(call, opened, resource, ast, ask)
  } catch (error) {
    await release
    throw error
  }
}

/** Milliseconds that an answer waits for its key to be free; later the client might wait for a database that is away. */
const patience = 1_000

/** Gives a key back; where that takes long, it goes on after the answer. */
const givenBack = (call: Call, opened: Opened, held: HeldClaim): Promise<void> =>
  withTimeLimit(releaseKey(storeOf(call, opened), held), patience, () => undefined).catch(() => {})

/**
 * A claim, or the answer to a request that was sent before. Both are asked for on one connection: behind the
 * pool there may be several hosts, and the one that knows the answer has its records, too.
 */
function claimOrAnswer(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  ask: (store: KeyStore) => Promise<ClaimOutcome>,
): Promise<HeldClaim | Result> {
  return openedOnOne(call, opened, async (own) => {
    const outcome = await ask(storeOf(call, own))
    switch (outcome.kind) {
      case 'busy':
        throw requestInProgress()
      case 'mismatch':
        throw idempotencyKeyReused()
      case 'answered':
        return replay(call, own, resource, ast, outcome.answer)
      case 'claimed':
        return outcome.held
    }
  })
}

const storeOf = ({ runtime }: Call, { connection, target }: Opened): KeyStore => ({
  connection,
  target,
  now: () => runtime.clock.now(),
  elapsed: () => runtime.clock.elapsed(),
})

async function claimOf(call: Call, resource: Resource, key: string): Promise<Claim> {
  const { request, query } = call
  const owner = keyOwnerOf(call)
  if (owner.kind === 'unknown') throw userWithoutKey()
  const identity = owner.kind === 'user' ? owner.identity : null
  const least = identity === null ? shortestAnonymous : 1
  if (!/^[\x21-\x7e]+$/.test(key) || key.length < least || key.length > longest) {
    throw badIdempotencyKey(`${least} to ${longest} visible characters`)
  }
  const body =
    typeof request.body === 'string' ? request.body : stringify((request.body ?? null) as JsonValue)
  // As we write it: spellings of one route share their keys, two APIs on one database do not.
  const route = collectionUrl(resource, call.runtime.routes.plainPrefix)
  return {
    id: await digest(stringify([identity, route, key])),
    fingerprint: await digest(stringify([query, body])),
  }
}

/** SHA-256 as hexadecimal text: keys of different users must never meet. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function answerOf(
  result: Result,
  keys: readonly (readonly Value[])[],
): Omit<StoredAnswer, 'authority'> {
  return {
    status: result.status,
    headers: result.headers ?? {},
    total: result.total ?? keys.length,
    value: result.value,
    many: Array.isArray(result.value),
    keys: keys.map((key) =>
      key.map((value) => (typeof value === 'bigint' ? String(value) : value)),
    ),
  }
}

/** What a caller may list, which decides what is embedded in an answer; the key of a claim knows the user, not the roles. */
const authorityOf = ({ runtime, reach }: Call): Promise<string> =>
  digest(stringify(runtime.registry.resources.filter(reach).map(({ name }) => name)))

/**
 * Whether the stored text may be answered: to a caller who may list the same resources, where it holds nothing that a
 * policy or a callback could decide otherwise for this request. The rows of the base are read again anyway.
 */
async function mayRepeat(
  call: Call,
  resource: Resource,
  ast: QueryAst,
  { authority }: StoredAnswer,
): Promise<boolean> {
  const plan = planEcho(resource, ast, call.reach)
  const { policies } = call.runtime
  for (const source of allSourcesOf(plan)) {
    if (source !== plan.rows.from && policies.has(source.resource)) return false
  }
  if (call.hooks.dump !== undefined || hasDump(resource, plan.embeds)) return false
  return authority === (await authorityOf(call))
}

/** The policy is asked again: what its reader may no longer see is null. */
async function replay(
  call: Call,
  opened: Opened,
  resource: Resource,
  ast: QueryAst,
  answer: StoredAnswer,
): Promise<Result> {
  const keys = answer.keys.map((key) =>
    key.map((value, i) => {
      const column = resource.primaryKey[i]
      return (column && planValueOf(column, value)) as Value
    }),
  )
  const echoes = await readBack(call, opened, resource, ast, keys)
  const repeats = await mayRepeat(call, resource, ast, answer)
  const stored = answer.many ? (answer.value as readonly JsonValue[] | undefined) : undefined
  const values = echoes.map(({ value }, i) => {
    if (value === null || !repeats) return value
    return (answer.many ? stored?.[i] : answer.value) ?? value
  })
  return {
    status: answer.status,
    value: answer.many ? values : (values[0] ?? null),
    total: answer.total,
    headers: { ...answer.headers, 'idempotency-replayed': 'true' },
  }
}
