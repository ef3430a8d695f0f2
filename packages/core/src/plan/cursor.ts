// Cursors: an opaque text that holds the order it belongs to and one row's place in it (contract §6).

import { invalidParameter } from '../errors.ts'

/** The stored text of each order term, null for NULL. */
export type Place = readonly (string | null)[]

/** The cursor of a row; `signature` names the order, so that a cursor never meets another one. */
export function writeCursor(signature: string, place: Place): string {
  const bytes = new TextEncoder().encode(JSON.stringify([signature, ...place]))
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

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
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 24)}…` : text)
