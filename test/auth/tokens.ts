/** Tokens made by hand: valid, or invalid in one respect. */
import { createHmac, createSign } from 'node:crypto'
import { accessSecret } from './people.ts'

/** The time of the test clock, in seconds since 1970. */
export const now: number = Math.floor(Date.parse('2026-01-02T03:04:05.678Z') / 1000)

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>
  readonly typ?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly secret?: string | Buffer
  /** The PEM of an RSA private key. */
  readonly privateKey?: string
}

/** An access token of ann that is valid except for the given parts. */
export async function forge(given: Forgery): Promise<string> {
  const rsa = given.privateKey !== undefined
  const header = { alg: rsa ? 'RS256' : 'HS256', typ: given.typ ?? 'at+jwt', ...given.header }
  const { sub = '1' } = given.payload ?? {}
  const lookup = { 1: 'ann', 2: 'bob', 3: 'eve' }[String(sub)]
  const payload = { sub, lookup, exp: now + 600, iat: now, ...given.payload }
  const text = `${encoded(header)}.${encoded(payload)}`
  const hash = `sha${String(header.alg).slice(2)}`
  if (header.alg === 'none') return `${text}.`
  const signature = rsa
    ? createSign(hash)
        .update(text)
        .sign(given.privateKey ?? '', 'base64url')
    : createHmac(hash, given.secret ?? accessSecret)
        .update(text)
        .digest('base64url')
  return `${text}.${signature}`
}
