// Writes the values of a row as members of a JSON object, without an object in between: the driver's row `[1, 'Emma']` becomes
// `{"id":1,"title":"Emma"`. `write-objects.ts` adds relations and the closing brace.

import type { RawRow } from '../../database/cell.ts'
import type { MemberReader } from '../compile/selection.ts'

/** A member of the object with the reader of its value; without a reader, the member is null. */
export interface OwnMember {
  readonly name: string
  readonly reader: Pick<MemberReader, 'index' | 'alias' | 'write'> | undefined
}

/**
 * The text before a value. `closing` is the same after a string whose closing quote has not been written yet: a quote, a comma and the name
 * are one string, because concatenation is most of the cost of a value.
 */
interface Opening {
  readonly text: string
  readonly closing: string
}

/** How one member is written: where its value is, and the text before it. */
interface Cell {
  /** Index or alias of the value in the row. */
  readonly place: number
  readonly write: MemberReader['write']
  /** Returns the text between the quotes; undefined if the value is not written as a string. */
  readonly inside: NonNullable<MemberReader['write']['inside']>
  /** What precedes a value without quotes: `"title":`. */
  readonly plain: Opening
  /** What precedes a string, with its opening quote: `"title":"`. */
  readonly text: Opening
}

/**
 * Creates a writer of a row's object without the closing brace: `{"id":1,"title":"Emma"`; the empty string without members. `arrays`:
 * whether the driver returns rows as arrays.
 */
export function cellsWriter(
  members: readonly OwnMember[],
  arrays: boolean,
): (raw: RawRow) => string {
  const cells = members.map((member, i) => cellFor(member, i, arrays))
  return (raw) => {
    const values = raw as Readonly<Record<string | number, unknown>>
    let text = ''
    /** Whether the text ends inside a string, whose closing quote the next member writes. */
    let open = false
    for (const { place, write, inside, plain, text: quoted } of cells) {
      const value = values[place]
      const missing = value === null || value === undefined
      const inner = missing ? undefined : inside(value)
      if (inner === undefined) {
        text += (open ? plain.closing : plain.text) + (missing ? 'null' : write(value))
        open = false
      } else {
        text += (open ? quoted.closing : quoted.text) + inner
        open = true
      }
    }
    return open ? `${text}"` : text
  }
}

/** Prepares the writing of one member; `i` is its index in the object. */
function cellFor({ name, reader }: OwnMember, i: number, arrays: boolean): Cell {
  const opening = memberOpening(name, i)
  const { index = -1, alias = '', write = nothing } = reader ?? {}
  return {
    place: (arrays ? index : alias) as number,
    write,
    inside: write.inside ?? never,
    plain: { text: opening, closing: `"${opening}` },
    text: { text: `${opening}"`, closing: `"${opening}"` },
  }
}

const nothing: MemberReader['write'] = () => 'null'
const never = (): undefined => undefined

/** `{"id":` for the first member, `,"title":` for the others. */
export const memberOpening = (name: string, i: number): string =>
  `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`
