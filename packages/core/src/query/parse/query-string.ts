// Splits a raw query string at `&` into percent-decoded pairs, which map each character to its offset in the raw text. The parser reads the
// decoded text of a pair by indexes; the functions here translate these back for spans and errors.

import { forbiddenCharacter, malformedEncoding } from '../../errors.ts'
import type { Span } from './ast.ts'

/**
 * A decoded pair. Each character has its offset in the raw text, so that the grammar can distinguish `,` (a separator) from
 * `%2C` (text), and errors can quote the raw text.
 */
export interface Pair {
  /** The whole query string. */
  readonly raw: string
  /** Where the pair is in `raw`. */
  readonly start: number
  readonly end: number
  /** The pair, percent-decoded once. */
  readonly text: string
  /** Offset in `raw` of each character of `text`, then of its end; absent if nothing was encoded. */
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

/** A part of the text of a decoded pair, by its indexes. */
export interface PairPart {
  readonly start: number
  readonly end: number
}

/** Returns the part from `from` to `to` without the spaces around it. */
export function trimPart(pair: Pair, from: number, to: number): PairPart {
  let start = from
  let end = to
  while (start < end && pair.text[start] === ' ') start += 1
  while (end > start && pair.text[end - 1] === ' ') end -= 1
  return { start, end }
}

/** Returns the offset of a decoded character in the raw query string. */
function offsetAt(pair: Pair, index: number): number {
  return pair.offsets === undefined
    ? Math.min(pair.start + index, pair.end)
    : (pair.offsets[index] ?? pair.end)
}

/** Whether a character was not percent-encoded. */
export function isRaw(pair: Pair, index: number): boolean {
  return pair.raw[offsetAt(pair, index)] !== '%'
}

/** Returns the offsets in the raw query string of the characters from `start` to `end`. */
export function spanOf(pair: Pair, start: number, end: number): Span {
  return { start: offsetAt(pair, start), end: offsetAt(pair, end) }
}

/** Returns the whole pair as the client has sent it, for errors. */
export const wholeText = (pair: Pair): string => pair.raw.slice(pair.start, pair.end)

/** Returns a part of the pair as the client has sent it, for errors; the whole pair if the part is empty. */
export function rawText(pair: Pair, start: number, end: number): string {
  if (end <= start) return wholeText(pair)
  return pair.raw.slice(offsetAt(pair, start), offsetAt(pair, end))
}

/** Decodes one pair; throws a 400 for malformed encoding and characters that no column can hold. */
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

/** Returns the length of one percent-encoded character, which follows from its first UTF-8 byte. */
function escapeLength(raw: string, at: number): number {
  const byte = Number.parseInt(raw.slice(at + 1, at + 3), 16)
  const encodedByte = 3
  if (byte >= 0xf0) return 4 * encodedByte
  if (byte >= 0xe0) return 3 * encodedByte
  return byte >= 0xc0 ? 2 * encodedByte : encodedByte
}

/** Decodes one character. `decodeURIComponent` throws for everything but strict UTF-8: overlong forms, surrogates, stray bytes. */
function decodeEscape(escaped: string, written: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    // Quotes the escape up to the first character that is not printable ASCII.
    throw malformedEncoding(/^[!-~]*/.exec(escaped)?.[0] ?? '%', written)
  }
}

/** Refuses NUL and lone surrogates, which no column can hold. */
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
