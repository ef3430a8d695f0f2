// The values of a row as members of an object: JSON text from the driver's values, without objects in between.

import type { RawRow } from '../compile/cell.ts'
import type { MemberReader } from '../compile/selection.ts'

/** A member that is a value of the row itself, and what reads it; one without a reader is null. */
export interface OwnMember {
  readonly name: string
  readonly reader: Pick<MemberReader, 'index' | 'alias' | 'write'> | undefined
}

/** What stands before a value, by what stands before that: a text whose quote is still to be closed, or anything else. */
interface Opening {
  readonly text: string
  readonly closing: string
}

/** What is written for one member. */
interface Cell {
  readonly place: number
  readonly write: MemberReader['write']
  readonly inside: NonNullable<MemberReader['write']['inside']>
  /** `"name":`, with the quote of the value where it is a text. */
  readonly plain: Opening
  readonly text: Opening
}

/**
 * Writes the object of a row, without the brace that ends it: `{"id":1,"title":"Emma"`; nothing where it has no members.
 *
 * What stands between two values is one piece: putting pieces together is most of what a cell costs.
 */
export function cellsWriter(
  members: readonly OwnMember[],
  arrays: boolean,
): (raw: RawRow) => string {
  const cells = members.map((member, i) => cellFor(member, i, arrays))
  return (raw) => {
    const values = raw as Readonly<Record<string | number, unknown>>
    let text = ''
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

/** `{"id":` of the first member, `,"title":` of the others. */
export const memberOpening = (name: string, i: number): string =>
  `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`
