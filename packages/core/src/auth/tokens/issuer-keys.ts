// The public keys of another issuer: those of the settings, or those that its URL answers, cached and bounded.

import type { JWTVerifyGetKey } from 'jose'
import { issuerUnreachable } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { JwtIssuer } from '../../model/settings/auth/jwt-issuers.ts'
import { jose } from './jose.ts'

/** Milliseconds in which the URL has to answer. */
const timeout = 5000

/** Milliseconds after a failure in which the URL is not asked again. */
const pauseAfterFailure = 10_000

/** Milliseconds for which known keys are used while the URL cannot be reached. */
const longestOutage = 24 * 60 * 60 * 1000

/** Largest answer in bytes. */
const largestAnswer = 256 * 1024

/**
 * Returns the function that finds the key of a token by its `kid`. jose asks the URL again after 10 minutes, and for an unknown `kid` at
 * most every 30 seconds. Throws 503 if no keys are known, because the URL does not answer.
 */
export async function issuerKeys(
  { issuer, jwks }: Pick<JwtIssuer, 'issuer' | 'jwks'>,
  clock: Pick<Clock, 'elapsed'>,
): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } = await jose()
  if (typeof jwks !== 'string') {
    return createLocalJWKSet(jwks as unknown as Parameters<typeof createLocalJWKSet>[0])
  }
  let failedAt = Number.NEGATIVE_INFINITY
  let answeredAt = Number.NEGATIVE_INFINITY
  const remote = createRemoteJWKSet(new URL(jwks), {
    timeoutDuration: timeout,
    async [customFetch](url: string, options: RequestInit) {
      if (clock.elapsed() - failedAt < pauseAfterFailure) throw new Error('asked a moment ago')
      try {
        const response = await boundedFetch(url, options)
        answeredAt = clock.elapsed()
        return response
      } catch (error) {
        failedAt = clock.elapsed()
        throw error
      }
    },
  })
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      // The keys are known, and none fits the token.
      if (error instanceof errors.JWKSNoMatchingKey) throw error
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error
      if (error instanceof errors.JOSENotSupported) throw error
      const known = clock.elapsed() - answeredAt < longestOutage ? remote.jwks() : undefined
      if (known === undefined) throw Object.assign(issuerUnreachable(issuer), { cause: error })
      return createLocalJWKSet(known)(header, token)
    }
  }
}

/** Reads an answer of at most 256 KiB with status 200 that is a JSON object with a list of keys. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`the keys of an issuer: status ${response.status} from ${url}`)
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > largestAnswer)
      throw new Error(`the keys of an issuer: more than 256 KiB from ${url}`)
    parts.push(part)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const text = new TextDecoder().decode(bytes)
  const { keys } = JSON.parse(text) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Error(`the keys of an issuer: no list of keys from ${url}`)
  return new Response(text, { status: 200 })
}
