/** The documentation has every filter operator, and the README their number. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filterOperators } from '../../packages/core/src/model/query-words/operators.ts'
import { equal } from '../support/assert.ts'
import { repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const textOf = (file: string): string => readFileSync(join(repository, file), 'utf8')
const names = Object.keys(filterOperators)

suite('documented operators', (test) => {
  test('README.md says how many there are', () => {
    const [, number] = /(\d+) operators by column type/.exec(textOf('README.md')) ?? []
    equal(number, String(names.length))
  })

  test('docs/reference/query-language.md has a row for each', () => {
    const text = textOf('docs/reference/query-language.md')
    const missing = names.filter((name) => !new RegExp(`^\\|.*\`${name}[\`=]`, 'm').test(text))
    equal(missing, [], 'add it to the table of operators')
  })
})
