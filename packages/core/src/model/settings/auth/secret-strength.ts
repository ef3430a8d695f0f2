// Checks HMAC secrets of tokens at start-up: refuses one that is too short, a PEM, or a placeholder such as `change-this-secret-key-in-production`.

import { looksLikePem } from './pem.ts'

/** RFC 7518 §3.2: an HMAC key is at least as long as the hash: 32 bytes for SHA-256. */
const leastBytes = 32

/** Words that placeholder secrets consist of. */
const filler =
  /your|super|very|my|the|jwt|api|access|refresh|secret|token|signing|sign|key|password|change|replace|please|insert|placeholder|default|example|sample|insecure|dummy|here|this|in|production|todo|some|me|it|to|a|256|bit|\d{1,3}$/g

/** Returns the problem with a secret, or undefined; the message never quotes the secret. */
export function secretProblem(secret: string): string | undefined {
  if (looksLikePem(secret)) return 'holds a PEM, which cannot be an HMAC secret.'
  const { length } = new TextEncoder().encode(secret)
  if (length < leastBytes) return `has ${length} bytes; at least ${leastBytes} are needed.`
  const words = secret.toLowerCase().replace(/[^a-z0-9]/g, '')
  // A placeholder consists of such words, with at most two further characters.
  const placeholder = /secret|change|password|placeholder|key/.test(words)
  if (placeholder && words.replace(filler, '').length <= 2) {
    return 'is a placeholder, which is the first thing an attacker tries.'
  }
  return undefined
}
