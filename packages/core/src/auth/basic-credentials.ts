// Parses `Authorization: Basic …` for the strategy basic: strict base64 of `user:password` in UTF-8. Any other value is a wrong credential.
// `isCredentialText` limits names, passwords and keys of all strategies and of login.

/** A login name and a password, as sent. */
export interface NameAndPassword {
  readonly name: string
  readonly password: string
}

/** Longest name, password or key in characters; a longer one is refused without being checked. */
const longestCredential = 1024

/**
 * Returns the name and password in the value of a Basic header, separated by the first colon; undefined if it is malformed.
 *
 * ```ts
 * readBasic('YW5uOmE6Yg==') // { name: 'ann', password: 'a:b' }
 * ```
 */
export function readBasic(base64: string): NameAndPassword | undefined {
  // Bounds the work of decoding; both parts are checked below.
  if (base64.length > 4 * longestCredential) return undefined
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const text = utf8(base64)
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon === -1) return undefined
  const name = text.slice(0, colon)
  const password = text.slice(colon + 1)
  return isCredentialText(name) && isCredentialText(password) ? { name, password } : undefined
}

/** Whether a value can be a name, a password or a key: a non-empty string of at most 1,024 characters without NUL and lone surrogates. */
export const isCredentialText = (text: unknown): text is string =>
  typeof text === 'string' &&
  text !== '' &&
  text.length <= longestCredential &&
  !text.includes('\0') &&
  !/\p{Surrogate}/u.test(text)

function utf8(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
