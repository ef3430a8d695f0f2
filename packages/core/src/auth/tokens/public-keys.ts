// publicKeys: the keys with which other services verify the access tokens of this API, as a JSON Web Key Set (RFC 7517).

import type { JwtSettings } from '../../model/settings/auth/auth-settings.ts'
import { looksLikePem } from '../../model/settings/auth/pem.ts'
import { publicHalf } from './token-keys.ts'

/** A public RSA key. */
export interface PublicKey {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly use: 'sig'
  readonly alg: string
  /** The `kid` of the tokens that it verifies. */
  readonly kid: string
}

/** A JSON Web Key Set. */
export interface PublicKeys {
  readonly keys: readonly PublicKey[]
}

/** Returns the public keys of access tokens, the current one first; none if tokens are signed with a secret (HS256 …). */
export async function publicKeys(settings: JwtSettings | null): Promise<PublicKeys> {
  if (settings === null) return { keys: [] }
  const { access, algorithm, allowed } = settings
  const alg = algorithm.startsWith('RS') ? algorithm : allowed.find((name) => name.startsWith('RS'))
  if (alg === undefined) return { keys: [] }
  const keys: PublicKey[] = []
  for (const pem of [access.verifyKey, ...access.previous]) {
    if (pem === undefined || !looksLikePem(pem)) continue
    const half = await publicHalf(pem, alg)
    if (half !== undefined) keys.push({ ...half.jwk, use: 'sig', alg, kid: half.id })
  }
  return { keys }
}
