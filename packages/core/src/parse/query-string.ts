// Raw query string → pairs; the one decoding rule, and the offsets that lead from decoded text back to the client's own.

import { forbiddenCharacter, malformedEncoding } from '../errors.ts'
import type { Span } from './ast.ts'

/**
 * One pair, decoded as a whole. Every character remembers where it stood, so the grammar can ask whether a comma was
 * written raw or as `%2C`: that is how structure is read from the raw text although leaves are decoded.
 */
export interface Pair {
  /** The whole query string. */
  readonly raw: string
  readonly start: number
  readonly end: number
  /** The pair, percent-decoded once. */
  readonly text: string
  /** Offset in `raw` of each character of `text`, and one more for its end; absent when nothing was encoded. */
  readonly offsets?: readonly number[]
}

/** Splits at raw `&` and decodes; empty pairs are dropped. */
export function splitPairs(raw: string): Pair[] {
  const pairs: Pair[] = []
  for (let start = 0; start <= raw.length; ) {
    const ampersand = raw.indexOf('&', start)
    const end = ampersand === -1 ? raw.length : ampersand
    if (end > start) pairs.push(decodePair(raw, start, end))
    start = end + 1
  }
  return pairs
}

/** A stretch of the decoded pair, blanks around it left out. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

export function trim(pair: Pair, from: number, to: number): Stretch {
  let start = from
  let end = to
  while (start < end && pair.text[start] === ' ') start += 1
  while (end > start && pair.text[end - 1] === ' ') end -= 1
  return { start, end }
}

/** Where a character of the decoded text stood in the raw query string. */
export function offsetAt(pair: Pair, index: number): number {
  return pair.offsets === undefined
    ? Math.min(pair.start + index, pair.end)
    : (pair.offsets[index] ?? pair.end)
}

/** Whether a character was written as itself, not as an escape. */
export function isRaw(pair: Pair, index: number): boolean {
  return pair.raw[offsetAt(pair, index)] !== '%'
}

export function spanOf(pair: Pair, start: number, end: number): Span {
  return { start: offsetAt(pair, start), end: offsetAt(pair, end) }
}

/** The client's own spelling of a stretch of the pair; of the whole pair when the stretch is empty. */
export function rawText(pair: Pair, start: number, end: number): string {
  if (end <= start) return pair.raw.slice(pair.start, pair.end)
  return pair.raw.slice(offsetAt(pair, start), offsetAt(pair, end))
}

function decodePair(raw: string, start: number, end: number): Pair {
  const written = raw.slice(start, end)
  if (!written.includes('%') && !written.includes('+')) {
    checkCharacters(written, written)
    return { raw, start, end, text: written }
  }
  const offsets: number[] = []
  let text = ''
  for (let at = start; at < end; ) {
    const length = raw[at] === '%' ? escapeLength(raw, at) : 1
    const piece = raw.slice(at, Math.min(at + length, end))
    const decoded = length === 1 ? piece.replace('+', ' ') : decodeEscape(piece, written)
    for (let i = 0; i < decoded.length; i++) offsets.push(at)
    text += decoded
    at += length
  }
  offsets.push(end)
  checkCharacters(text, written)
  return { raw, start, end, text, offsets }
}

/** How long the escapes of one character are: the first byte announces how many bytes there will be. */
function escapeLength(raw: string, at: number): number {
  const byte = Number.parseInt(raw.slice(at + 1, at + 3), 16)
  const bytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return bytes * 3
}

/** `decodeURIComponent` refuses everything that is not strict UTF-8: overlong forms, surrogates, stray bytes. */
function decodeEscape(escaped: string, written: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    throw malformedEncoding(/^[!-~]*/.exec(escaped)?.[0] ?? '%', written)
  }
}

/** NUL and lone surrogates are valid in no column and are refused before anything else looks at the text. */
function checkCharacters(text: string, at: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0) throw forbiddenCharacter('a NUL character', at)
    if (code < 0xd800 || code > 0xdfff) continue
    const next = text.charCodeAt(i + 1)
    const paired = code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff
    if (!paired) throw forbiddenCharacter('half of a surrogate pair', at)
    i += 1
  }
}
