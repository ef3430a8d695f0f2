// Imports the configured token keys as CryptoKeys, each bound to one algorithm.

import type { Algorithm, KeyTexts } from '../../model/settings/auth/auth-settings.ts'
import { jose } from './jose.ts'

/** Returns the key for an algorithm; undefined if none is configured. */
export type KeyOf = (algorithm: Algorithm) => Promise<CryptoKey | undefined>

/** The keys of one kind of token; each is imported once, on first use. */
export interface TokenKeys {
  readonly signing: KeyOf
  readonly verifying: KeyOf
}

/** Creates the keys from their configured strings. */
export const tokenKeys = (texts: KeyTexts): TokenKeys => ({
  signing: memoised((algorithm) =>
    algorithm.startsWith('HS')
      ? hmac(texts.secret, algorithm)
      : signer(texts.privateKey, algorithm),
  ),
  verifying: memoised((algorithm) =>
    algorithm.startsWith('HS')
      ? hmac(texts.secret, algorithm)
      : verifier(texts.verifyKey, algorithm),
  ),
})

function memoised(make: KeyOf): KeyOf {
  const made = new Map<Algorithm, Promise<CryptoKey | undefined>>()
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

async function hmac(
  secret: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  if (secret === undefined) return undefined
  const hash = `SHA-${algorithm.slice(2)}`
  const bytes = new TextEncoder().encode(secret)
  const extractable = false
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, extractable, [
    'sign',
    'verify',
  ])
}

async function signer(
  pem: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  if (pem === undefined) return undefined
  const { importPKCS8 } = await jose()
  return importPKCS8(pem, algorithm)
}

/** Returns the verifying key of a PEM; the PEM of a private key gives its public half. */
async function verifier(
  pem: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  if (pem === undefined) return undefined
  const { exportJWK, importJWK, importPKCS8, importSPKI } = await jose()
  if (pem.includes('PUBLIC KEY')) return importSPKI(pem, algorithm)
  const { kty, n, e } = await exportJWK(await importPKCS8(pem, algorithm, { extractable: true }))
  if (kty !== 'RSA' || n === undefined || e === undefined) return undefined
  const key = await importJWK({ kty, n, e }, algorithm)
  return key instanceof Uint8Array ? undefined : key
}
