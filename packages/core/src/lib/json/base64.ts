// Base64 encoding and decoding with `btoa` and `atob`, which every JavaScript runtime has.

/** Bytes per call of String.fromCharCode: a multiple of three, so that the pieces join without padding, and below the argument limit. */
const piece = 0x6000

/** Encodes bytes with the standard alphabet and padding, as `binary` columns appear in JSON. */
export function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + piece)))
  }
  return text
}

/** Decodes a base64 string; throws if it is not base64. */
export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return bytes
}
