// Keys of tokens: texts → keys that are bound to one algorithm each, so that no key can serve another.

import { exportJWK, importJWK, importPKCS8, importSPKI } from 'jose'
import type { Algorithm, KeyTexts } from '../config/auth-settings.ts'

/** The key of one algorithm. */
export type KeyOf = (algorithm: Algorithm) => Promise<CryptoKey | undefined>

/** The keys of one kind of token; each is made once, when it is first needed. */
export interface TokenKeys {
  readonly signing: KeyOf
  readonly verifying: KeyOf
}

/** Makes the keys from their texts. */
export const tokenKeys = (texts: KeyTexts): TokenKeys => ({
  signing: remembered((algorithm) =>
    algorithm.startsWith('HS')
      ? hmac(texts.secret, algorithm)
      : signer(texts.privateKey, algorithm),
  ),
  verifying: remembered((algorithm) =>
    algorithm.startsWith('HS')
      ? hmac(texts.secret, algorithm)
      : verifier(texts.verifyKey, algorithm),
  ),
})

function remembered(make: KeyOf): KeyOf {
  const made = new Map<Algorithm, Promise<CryptoKey | undefined>>()
  return (algorithm) => {
    const known = made.get(algorithm) ?? make(algorithm)
    made.set(algorithm, known)
    return known
  }
}

async function hmac(
  secret: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  if (secret === undefined) return undefined
  const hash = `SHA-${algorithm.slice(2)}`
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, ['sign', 'verify'])
}

async function signer(
  pem: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  return pem === undefined ? undefined : importPKCS8(pem, algorithm)
}

/** A private key verifies with its public half. */
async function verifier(
  pem: string | undefined,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  if (pem === undefined) return undefined
  if (pem.includes('PUBLIC KEY')) return importSPKI(pem, algorithm)
  const { kty, n, e } = await exportJWK(await importPKCS8(pem, algorithm, { extractable: true }))
  if (kty !== 'RSA' || n === undefined || e === undefined) return undefined
  const key = await importJWK({ kty, n, e }, algorithm)
  return key instanceof Uint8Array ? undefined : key
}
