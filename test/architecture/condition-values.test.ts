/**
 * The compiler takes the value of a condition from the condition's slot (`valueParam`): a stored statement is sent again with the values
 * of another caller, and a `constant` would keep those of the first one. Lists every constant of the statements that read.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const folder = 'packages/core/src/query/compile/'

/** The constants of each file, and why no stored statement is sent again with another value. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bound-target.ts': {
    'constant(value)': 'slotParam and valueParam, for a statement that is sent once',
  },
  'source.ts': {
    'constant(constantOf(column, value))': 'values that the model declares',
  },
  'rows/condition.ts': {
    'constant(keys)': 'keys of records that a write looks up; its statement is not stored',
    "constant(key[i] ?? '')": 'the key in the path of a relation route, a part of its cached plan',
  },
  'rows/beyond-cursor.ts': {
    'constant(rawValueOf(String(value)))':
      'only asks the dialect whether it can compare the value; nothing is sent',
  },
}

/** Returns the calls of `constant` in a file, with their arguments. */
function constantsOf(file: string): readonly string[] {
  const text = scan(readSource(file)).code
  const original = readSource(file)
  return [...text.matchAll(/\bconstant\s*(?:<[^(]*>)?\(/g)].map(({ index }) => {
    let depth = 0
    for (let end = index; end < text.length; end++) {
      if (text[end] === '(') depth++
      if (text[end] === ')' && --depth === 0) return original.slice(index, end + 1)
    }
    return original.slice(index)
  })
}

suite('values of conditions', (test) => {
  test('reach statements by their slots, apart from the listed constants', () => {
    const found = Object.fromEntries(
      filesBelow(folder)
        .map((file) => [file.slice(folder.length), [...new Set(constantsOf(file))].sort()] as const)
        .filter(([, constants]) => constants.length > 0),
    )
    const listed = Object.fromEntries(
      Object.entries(known).map(([file, constants]) => [file, Object.keys(constants).sort()]),
    )
    equal(
      found,
      listed,
      'take the value of a condition by `valueParam`, with the slot of the condition',
    )
  })
})
