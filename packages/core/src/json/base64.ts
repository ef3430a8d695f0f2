// Bytes as base64 text and back, with what every JavaScript runtime has.

/** A multiple of three, so that pieces join without padding, and few enough for one call. */
const piece = 0x6000

/** The standard alphabet with padding: the JSON form of a `binary` column. */
export function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + piece)))
  }
  return text
}

/** The bytes of a base64 text; throws when it is none. */
export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return bytes
}
