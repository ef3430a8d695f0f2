// A text that is served again and again: with its ETag, and compressed once.

import { hashOfText } from '../http/text-hash.ts'

/** A text as it is served. */
export interface Representation {
  readonly text: string
  /** The ETag of the text as it is. */
  readonly tag: string
  /** The ETag of the compressed text, which is another sequence of bytes. */
  readonly compressedTag: string
  /** The text in gzip, made on first use; undefined where the runtime has no compression, or the text is short. */
  compressed(): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Shorter texts fit into one packet as they are. */
const shortText = 1400

export function createRepresentation(text: string): Representation {
  const hash = hashOfText(text)
  let made: Promise<Uint8Array<ArrayBuffer> | undefined> | undefined
  return {
    text,
    tag: `"${hash}"`,
    compressedTag: `"${hash}.gzip"`,
    compressed() {
      made ??= text.length < shortText ? Promise.resolve(undefined) : gzip(text)
      return made
    },
  }
}

/** A stream that fails leaves the text uncompressed. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined
  try {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    return undefined
  }
}
