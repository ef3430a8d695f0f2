// Representation: a text that is the body of many responses, such as the OpenAPI document, with its ETags and its gzip form, computed once.

import { hashOfText } from '../../../lib/text-hash.ts'

/** A text with its ETags. */
export interface Representation {
  readonly text: string
  /** The ETag of the uncompressed text. */
  readonly tag: string
  /** The ETag of the compressed text, whose bytes differ. */
  readonly compressedTag: string
  /** The text in gzip, compressed on first use; undefined if the runtime has no compression, or the text is short. */
  compressed(): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Characters; shorter texts fit into one packet uncompressed. */
const shortText = 1400

/** Hashes a text; it is compressed when a client first accepts gzip. */
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

/** Compresses a text; undefined if the stream fails, so that the text is sent uncompressed. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined
  try {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    return undefined
  }
}
