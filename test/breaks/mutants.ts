/** The mutants of a source file: each is one small change of its syntax tree that a test should notice. */
import { stripTypeScriptTypes } from 'node:module'
import { type Expression, type Node, parse } from 'acorn'
import { simple } from 'acorn-walk'

export interface Mutant {
  /** The source file, from the root of the repository. */
  readonly file: string
  /** The text from `start` to `end` is replaced by `text`. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly line: number
  /** What is changed, for the reader of a report. */
  readonly change: string
}

/** Operators, and what stands in their place. */
const otherOperators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
}

/** Methods of arrays and texts that may be replaced by another, or by nothing. */
const otherMethods: Readonly<Record<string, string | undefined>> = {
  some: 'every',
  every: 'some',
  filter: undefined,
  slice: undefined,
  toSorted: undefined,
  toReversed: undefined,
  toLowerCase: undefined,
  trim: undefined,
}

/**
 * Returns all mutants of a file, in the order of their places.
 *
 * mutantsOf('a.ts', 'export const a = (x: number) => x < 3') // `<` → `<=` and `3` → `4`
 */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  // Types become blanks, so that places in the tree are places in the source.
  const code = stripTypeScriptTypes(source, { mode: 'strip' })
  if (code.length !== source.length) throw new Error(`${file}: stripping types moved its text`)
  const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  const mutants: Mutant[] = []
  const add = (start: number, end: number, text: string): void => {
    const line = source.slice(0, start).split('\n').length
    const shown = (part: string): string => {
      const one = part.replace(/\s+/g, ' ').trim()
      return one.length > 60 ? `${one.slice(0, 57)}...` : one
    }
    const change = `${shown(source.slice(start, end))} → ${text === '' ? 'nothing' : shown(text)}`
    mutants.push({ file, start, end, text, line, change })
  }
  const replace = ({ start, end }: Node, text: string): void => add(start, end, text)
  /** Replaces the operator between two operands. */
  const operator = (left: Node, right: Node, from: string, to: string): void => {
    const at = code.indexOf(from, left.end)
    if (at >= 0 && at < right.start) add(at, at + from.length, to)
  }
  const condition = (test: Expression): void => {
    replace(test, 'false')
    replace(test, 'true')
  }
  simple(tree, {
    IfStatement: ({ test }) => condition(test),
    ConditionalExpression: ({ test }) => condition(test),
    WhileStatement: ({ test }) => replace(test, 'false'),
    BinaryExpression({ left, right, operator: from }) {
      const to = otherOperators[from]
      if (to !== undefined) operator(left, right, from, to)
    },
    LogicalExpression({ left, right, operator: from }) {
      const to = otherOperators[from]
      if (to !== undefined) operator(left, right, from, to)
      else if (from === '??') add(left.end, right.end, '')
    },
    UnaryExpression({ start, operator: sign }) {
      if (sign === '!') add(start, start + 1, '')
    },
    Literal(node) {
      if (typeof node.value === 'boolean') replace(node, String(!node.value))
      if (typeof node.value === 'number') replace(node, String(node.value + 1))
    },
    ExpressionStatement({ start, end, expression }) {
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression
      if (called.type === 'CallExpression') add(start, end, 'void 0')
    },
    CallExpression({ end, callee }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { object, property } = callee
      if (!Object.hasOwn(otherMethods, property.name)) return
      const other = otherMethods[property.name]
      if (other !== undefined) replace(property, other)
      else add(object.end, end, '')
    },
  })
  return mutants.toSorted((a, b) => a.start - b.start || a.text.localeCompare(b.text))
}

export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end)
}

/** Returns up to `count` of the items, chosen by the seed: the same seed gives the same items. */
export function chosenBySeed<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const left = [...items]
  const chosen: T[] = []
  const next = random(seed)
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(Math.floor(next() * left.length), 1))
  }
  return chosen
}

/** The generator "mulberry32": numbers from 0 to 1, without 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
