// PEM keys of tokens (ACCESS_PUBLIC_KEY and the like): recognises a PEM, its kind and the size of its RSA modulus, so that `resolve-jwt.ts` can refuse
// a wrong key at start-up, without Web Crypto, which is asynchronous.

/** The key in a PEM text. */
export interface PemKey {
  readonly kind: 'public' | 'private'
  /** The RSA modulus in hexadecimal, without leading zeros; equal for the two halves of a pair. */
  readonly modulus: string
  readonly bits: number
}

/** Whether a string looks like a PEM; a PEM must never be used as an HMAC secret. */
export const looksLikePem = (text: string): boolean => text.includes('-----BEGIN')

/** Parses a PEM; returns the key, or a sentence that says what is wrong. */
export function readPem(text: string): PemKey | string {
  const match = /^\s*-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/.exec(text)
  if (match === null) return 'is not a PEM text (-----BEGIN … KEY----- … -----END … KEY-----).'
  const label = match[1] ?? ''
  if (label !== 'PUBLIC KEY' && label !== 'PRIVATE KEY') {
    return `holds a "${label}"; expected a "PUBLIC KEY" (SPKI) or a "PRIVATE KEY" (PKCS #8). Convert it with openssl rsa -pubout or openssl pkcs8 -topk8 -nocrypt.`
  }
  const kind = label === 'PUBLIC KEY' ? 'public' : 'private'
  const modulus = modulusOf(bytesOf(match[2] ?? ''), kind)
  if (modulus === undefined) return 'does not hold an RSA key.'
  // The first hexadecimal digit counts without its leading zero bits; `clz32` counts 28 more of them.
  const first = Number.parseInt(modulus.slice(0, 1), 16)
  const bits = modulus.length * 4 - Math.clz32(first) + 28
  return { kind, modulus, bits }
}

/** Returns the bytes; none for a wrong text. */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.replace(/\s/g, '')), (char) => char.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** An element of the encoding DER: the number of its type, and where its content begins and ends. */
interface Der {
  readonly tag: number
  readonly from: number
  readonly to: number
}

/** Reads the DER element at an offset; undefined if the bytes are malformed. */
function derAt(bytes: Uint8Array, at: number): Der | undefined {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) return undefined
  // A first byte from 128 on says in how many further bytes the length stands.
  const extra = first < 128 ? 0 : first - 128
  if (extra > 4) return undefined
  let length = extra === 0 ? first : 0
  for (let i = 0; i < extra; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0)
  const from = at + 2 + extra
  return from + length > bytes.length ? undefined : { tag, from, to: from + length }
}

/** The tag of a DER sequence. */
const sequence = 0x30

/** Returns the members of a DER sequence. */
function membersOf(bytes: Uint8Array, at: number): readonly Der[] {
  const outer = derAt(bytes, at)
  const members: Der[] = []
  if (outer?.tag !== sequence) return members
  for (let next = outer.from; next < outer.to; ) {
    const member = derAt(bytes, next)
    if (member === undefined) return []
    members.push(member)
    next = member.to
  }
  return members
}

/** The object identifier of RSA keys, 1.2.840.113549.1.1.1, as in DER. */
const rsa = '2a864886f70d010101'

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Finds the RSA modulus. SPKI: (algorithm, bit string of (modulus, exponent)); PKCS #8: (version, algorithm, octets of (version,
 * modulus, …)).
 */
function modulusOf(bytes: Uint8Array, kind: PemKey['kind']): string | undefined {
  const outer = membersOf(bytes, 0)
  const [algorithm, wrapped] = kind === 'public' ? outer : outer.slice(1)
  if (algorithm === undefined || wrapped === undefined) return undefined
  const identifier = derAt(bytes, algorithm.from)
  if (identifier === undefined || hex(bytes.slice(identifier.from, identifier.to)) !== rsa) {
    return undefined
  }
  // A bit string begins with the number of its unused bits.
  const inner = membersOf(bytes, kind === 'public' ? wrapped.from + 1 : wrapped.from)
  const modulus = kind === 'public' ? inner[0] : inner[1]
  if (modulus === undefined) return undefined
  return hex(bytes.slice(modulus.from, modulus.to)).replace(/^0+/, '')
}
