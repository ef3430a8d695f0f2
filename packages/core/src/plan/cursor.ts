// Cursors: an opaque text that holds the order it belongs to and one row's place in it (contract §6).

import { invalidParameter } from '../errors.ts'

/** The stored text of each order term, null for NULL. */
export type Place = readonly (string | null)[]

/** The cursor of a row; `signature` names the order, so that a cursor never meets another one. */
export function writeCursor(signature: string, place: Place): string {
  const text = btoa(bytesOf(JSON.stringify([signature, ...place])))
  const end = text.indexOf('=')
  const bare = end === -1 ? text : text.slice(0, end)
  return /[+/]/.test(bare) ? bare.replaceAll('+', '-').replaceAll('/', '_') : bare
}

/** The UTF-8 of a text, each byte as one character; most cursors are ASCII, which stands for itself. */
function bytesOf(text: string): string {
  if (isAscii(text)) return text
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** The text whose bytes these are; throws where they are no UTF-8. */
function textOf(binary: string): string {
  if (isAscii(binary)) return binary
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** Units from NUL to DEL. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** Reads a cursor back, or throws the 400: not ours, or of another order. */
export function readCursor(name: string, cursor: string, signature: string, terms: number): Place {
  const parts = decode(cursor)
  const [order, ...place] = Array.isArray(parts) ? (parts as unknown[]) : []
  const isPlace = place.every((part) => part === null || typeof part === 'string')
  if (order === undefined || !isPlace) {
    throw invalidParameter(name, shortened(cursor), 'a cursor taken from next_url or previous_url')
  }
  if (order !== signature || place.length !== terms) {
    throw invalidParameter(name, shortened(cursor), 'a cursor of the same order_by')
  }
  return place as Place
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(textOf(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    return undefined
  }
}

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 24)}…` : text)
