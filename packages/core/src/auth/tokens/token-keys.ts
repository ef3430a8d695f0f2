// tokenKeys: imports the configured secrets and PEM keys of tokens as CryptoKeys, each bound to one algorithm, on first use. `publicHalf` gives
// the public part of a PEM key, also for `api.publicKeys()`.

import type { Algorithm, KeyTexts } from '../../model/settings/auth/auth-settings.ts'
import { looksLikePem } from '../../model/settings/auth/pem.ts'
import { sha256Hex } from './digest.ts'
import { jose } from './jose.ts'

/** A key and its id, the `kid` of the tokens that it signs. */
export interface NamedKey {
  readonly id: string
  readonly key: CryptoKey
}

/** Returns what signs or verifies by an algorithm. */
export type KeysOf<T> = (algorithm: Algorithm) => Promise<T>

/** The keys of one kind of token; each is imported once, on first use. */
export interface TokenKeys {
  /** Undefined if no key is configured for the algorithm. */
  readonly signing: KeysOf<NamedKey | undefined>
  /** The current key first. */
  readonly verifying: KeysOf<readonly NamedKey[]>
}

/** Creates the keys from their configured strings. */
export function tokenKeys(texts: KeyTexts): TokenKeys {
  const { secret, privateKey, verifyKey, previous } = texts
  const verifying = memoised(async (algorithm) => {
    const takesSecrets = algorithm.startsWith('HS')
    const earlier = previous.filter((text) => looksLikePem(text) !== takesSecrets)
    const all = [takesSecrets ? secret : verifyKey, ...earlier]
    const read = takesSecrets ? hmacKey : verifier
    const keys = await Promise.all(all.map((text) => text && read(text, algorithm)))
    return keys.flatMap((key) => key || [])
  })
  const signing = memoised(async (algorithm) => {
    if (algorithm.startsWith('HS')) return secret && hmacKey(secret, algorithm)
    const [own] = await verifying(algorithm)
    // Start-up has checked that `privateKey` and `verifyKey` are a pair.
    return own && privateKey ? { ...own, key: await signer(privateKey, algorithm) } : undefined
  })
  return { signing: async (algorithm) => (await signing(algorithm)) || undefined, verifying }
}

/** Imports the keys of each algorithm once. */
function memoised<T>(make: KeysOf<T>): KeysOf<T> {
  const made = new Map<Algorithm, Promise<T>>()
  return (algorithm) => {
    const known = made.get(algorithm)
    if (known !== undefined) return known
    const importing = make(algorithm)
    made.set(algorithm, importing)
    // A failed import, of jose for example, is tried again.
    importing.catch(() => made.delete(algorithm))
    return importing
  }
}

/** Hexadecimal digits of a key id: 128 bits of a SHA-256, from which a strong secret cannot be found. */
const idLength = 32

/** Imports a secret for HS256, HS384 or HS512. Its id is a hash, so that it tells nothing of the secret. */
async function hmacKey(secret: string, algorithm: Algorithm): Promise<NamedKey> {
  const hash = `SHA-${algorithm.slice(2)}`
  const bytes = new TextEncoder().encode(secret)
  const extractable = false
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, extractable, [
    'sign',
    'verify',
  ])
  const digest = await sha256Hex(`the id of the key ${secret}`)
  return { id: digest.slice(0, idLength), key }
}

async function signer(pem: string, algorithm: Algorithm): Promise<CryptoKey> {
  const { importPKCS8 } = await jose()
  return importPKCS8(pem, algorithm)
}

/** Returns the verifying key of a PEM, which may also be that of a private key; undefined if it is no RSA key. */
async function verifier(pem: string, algorithm: Algorithm): Promise<NamedKey | undefined> {
  const { importJWK } = await jose()
  const half = await publicHalf(pem, algorithm)
  const key = half && (await importJWK(half.jwk, algorithm))
  return half === undefined || key === undefined || key instanceof Uint8Array
    ? undefined
    : { id: half.id, key }
}

/** The public half of an RSA key. */
export interface PublicHalf {
  /** The thumbprint of RFC 7638. */
  readonly id: string
  readonly jwk: { readonly kty: 'RSA'; readonly n: string; readonly e: string }
}

/** Returns the public half of a PEM key, without the private one; undefined if it is no RSA key. */
export async function publicHalf(
  pem: string,
  algorithm: Algorithm,
): Promise<PublicHalf | undefined> {
  const { calculateJwkThumbprint, exportJWK, importPKCS8, importSPKI } = await jose()
  const whole = { extractable: true }
  const key = pem.includes('PUBLIC KEY')
    ? await importSPKI(pem, algorithm, whole)
    : await importPKCS8(pem, algorithm, whole)
  const { kty, n, e } = await exportJWK(key)
  if (kty !== 'RSA' || n === undefined || e === undefined) return undefined
  const jwk = { kty: 'RSA', n, e } as const
  return { id: await calculateJwkThumbprint(jwk), jwk }
}
