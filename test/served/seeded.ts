/** Random conditions over stored values, the same ones for each seed, and which of the stored rows meet them. */
import type { Row } from './mapping.ts'
import type { Json } from './stored.ts'

/** A field whose values are compared exactly, and the values of the rows that are sent. */
export interface Compared {
  readonly field: string
  readonly isText: boolean
  readonly values: readonly Json[]
}

/** A condition as clients write it, and as SQL decides it: null for NULL. */
export interface Seeded {
  readonly text: string
  readonly holds: (row: Row) => boolean | null
}

/** Random numbers below a bound: a linear congruential generator. */
export function randomBelow(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const sent = (value: Json, isText: boolean): string =>
  encodeURIComponent(isText ? `"${String(value).replace(/["\\]/g, '\\$&')}"` : String(value))

function test(one: Compared, below: (bound: number) => number): Seeded {
  const { field, isText, values } = one
  const pick = (): Json => values[below(values.length)] ?? null
  const of = (row: Row): Json => row[field] ?? null
  const kind = below(5)
  if (kind === 0 || values.length === 0) {
    const isNull = below(2) === 0
    return { text: `${field}__isnull=${isNull}`, holds: (row) => (of(row) === null) === isNull }
  }
  const isNegated = kind > 2
  const decided = (row: Row, wanted: readonly Json[]): boolean | null =>
    of(row) === null ? null : wanted.includes(of(row)) !== isNegated
  if (kind % 2 === 1) {
    const value = pick()
    const operator = isNegated ? 'ne' : 'eq'
    return {
      text: `${field}__${operator}=${sent(value, isText)}`,
      holds: (row) => decided(row, [value]),
    }
  }
  const list = Array.from({ length: 1 + below(4) }, pick)
  const items = list.map((value) => sent(value, isText)).join(',')
  return {
    text: `${field}__${isNegated ? 'nin' : 'in'}=(${items})`,
    holds: (row) => decided(row, list),
  }
}

/** A condition of one to three tests, in a group if there are several. */
export function seededCondition(
  fields: readonly Compared[],
  below: (bound: number) => number,
): Seeded {
  const tests = Array.from({ length: 1 + below(3) }, () =>
    test(fields[below(fields.length)] as Compared, below),
  )
  const group = (['and', 'or', 'not'] as const)[below(3)] ?? 'and'
  const [first] = tests
  if (tests.length === 1 && first !== undefined && group !== 'not') return first
  const all = (row: Row): boolean | null => {
    const found = tests.map(({ holds }) => holds(row))
    const decides = group === 'or'
    if (found.includes(decides)) return decides
    return found.includes(null) ? null : !decides
  }
  const holds = (row: Row): boolean | null => {
    const found = all(row)
    return group === 'not' && found !== null ? !found : found
  }
  return { text: `${group}[${tests.map(({ text }) => text).join(',')}]`, holds }
}
