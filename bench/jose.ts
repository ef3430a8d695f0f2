/** Loads jose in the version that the core depends on; the workspace itself does not depend on it. */
import { createRequire } from 'node:module'

interface Jose {
  jwtVerify(
    token: string,
    secret: Uint8Array,
    options: { readonly algorithms: readonly string[] },
  ): Promise<{ readonly payload: { readonly sub?: string } }>
  readonly SignJWT: new (payload: Readonly<Record<string, unknown>>) => Signer
}

interface Signer {
  setProtectedHeader(header: { readonly alg: string; readonly typ: string }): this
  setSubject(subject: string): this
  setIssuedAt(): this
  setExpirationTime(time: string): this
  sign(secret: Uint8Array): Promise<string>
}

const core = new URL('../packages/core/package.json', import.meta.url)

export const { jwtVerify, SignJWT }: Jose = createRequire(core)('jose')
