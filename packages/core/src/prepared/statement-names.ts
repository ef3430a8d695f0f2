// Which statements get a name, and which: those that came before, by a hash of their text.

import { asksForArrays, withoutMark } from './array-rows.ts'
import { recent } from './recent.ts'

/** A statement that has a name. */
export interface Named {
  readonly name: string
  /** The text as the database gets it. */
  readonly text: string
  readonly arrays: boolean
}

/** The name of a statement as it came, or undefined: it is sent without one. */
export type NameOf = (text: string) => Named | undefined

/** Statements that are planned; `begin`, `set` and their like are not worth a name. */
const planned = /^(?:select|insert|update|delete|with) /i

/**
 * Names the texts that come a second time, `size` of them at most: a statement that comes once costs more prepared than
 * not, and whoever invents new ones all the time must not push the others out.
 */
export function statementNames(size: number): NameOf {
  const seen = recent<true>(size * 2)
  const named = recent<Named>(size)
  return (text) => {
    const known = named.get(text)
    if (known !== undefined) return known
    const arrays = asksForArrays(text)
    const plain = arrays ? withoutMark(text) : text
    if (!planned.test(plain)) return undefined
    if (seen.get(text) === undefined) {
      seen.set(text, true)
      return undefined
    }
    const statement: Named = { name: nameFrom(plain), text: plain, arrays }
    named.set(text, statement)
    return statement
  }
}

/** The same for the same text in every process, so that a pooler may share it. */
function nameFrom(text: string): string {
  const lanes = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    for (let lane = 0; lane < 4; lane++) {
      lanes[lane] = Math.imul((lanes[lane] as number) ^ (unit + lane), 0x01000193 + 2 * lane)
    }
  }
  const digits = lanes.map((lane) => ((lane ^ (lane >>> 15)) >>> 0).toString(36))
  return `model_api_${digits.join('_')}`
}
