// decodedSegment: percent-decoding that does not throw.

/** Percent-decodes a path segment; undefined if the encoding is malformed. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
