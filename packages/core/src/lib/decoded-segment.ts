// decodedSegment: percent-decoding of a path segment that does not throw: `a%2Fb` → `a/b`, `%` → undefined.

/** Percent-decodes a path segment; undefined if the encoding is malformed. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
