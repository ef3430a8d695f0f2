// The hash of a string in ETags and in the names of prepared statements: by the runtime's SHA-256, or by ours where it has no synchronous one.

import { sha256Of, sha256sOf } from './script-sha256.ts'

/** Characters of a hash: the first 192 bits of SHA-256 in base64url. Nobody finds two strings with the same hash. */
export const hashLength = 32

interface NodeCrypto {
  hash(algorithm: string, text: string, encoding: string): string
  createHash(algorithm: string): NodeHash
}

interface NodeHash {
  update(text: string): NodeHash
  copy(): NodeHash
  digest(encoding: string): string
}

/** The module `node:crypto` without an import (Node, Bun, Deno); its SHA-256 takes a seventh of the time of ours. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const module = process?.getBuiltinModule?.('crypto') as Partial<NodeCrypto> | undefined
  return typeof module?.hash === 'function' ? (module as NodeCrypto) : undefined
}

const node = nodeCrypto()

/** Returns the hash of a string's UTF-8 bytes. All lone surrogates have the same bytes. */
export const hashOfText: (text: string) => string =
  node === undefined
    ? sha256Of
    : (text) => node.hash('sha256', text, 'base64url').slice(0, hashLength)

/** Returns the hashes of the first `units` UTF-16 units of a string and of the whole. Long texts are read once. */
export const hashesOfText: (text: string, units: number) => readonly [part: string, all: string] =
  node === undefined ? sha256sOf : (text, units) => nodeHashes(node, text, units)

/** Up to this length, Node computes two hashes faster than it creates an object for one that continues. */
const shortText = 2_000

function nodeHashes(
  node: NodeCrypto,
  text: string,
  units: number,
): readonly [part: string, all: string] {
  const last = text.charCodeAt(units - 1)
  // Between the halves of a surrogate pair, the part and the rest have other bytes than the whole.
  const splitsPair = last >= 0xd800 && last < 0xdc00
  if (splitsPair || units <= shortText) return [hashOfText(text.slice(0, units)), hashOfText(text)]
  const hash = node.createHash('sha256').update(text.slice(0, units))
  const part = hash.copy().digest('base64url').slice(0, hashLength)
  return [part, hash.update(text.slice(units)).digest('base64url').slice(0, hashLength)]
}
