/** The problems of a body: listed up to a number, each with a part of its path; further ones cost nothing. */
import { missingField } from '../../../packages/core/src/problems.ts'
import { inputProblems } from '../../../packages/core/src/write/body/input-problems.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('the problems of a body', (test) => {
  test('are listed up to a hundred, and then counted', () => {
    const problems = inputProblems()
    for (let i = 0; i < 250; i++) problems.add(`[${i}]`, missingField)
    equal([problems.found.length, problems.more], [100, 150])
    equal(inputProblems(problems).more, 150)
  })

  test('beyond that are counted without being made', () => {
    const problems = inputProblems()
    for (let i = 0; i < 100; i++) problems.add(`[${i}]`, missingField)
    let asked = 0
    problems.add('[100]', () => {
      asked += 1
      return missingField
    })
    equal(asked, 0)
  })

  test('have at most 200 characters of their path', () => {
    const problems = inputProblems()
    problems.add('k'.repeat(27_000), missingField)
    equal(
      problems.found.map(({ path }) => path),
      [`${'k'.repeat(200)}…`],
    )
  })

  test('are reported once each', () => {
    const problems = inputProblems()
    for (const _ of [1, 2]) problems.add('title', missingField)
    equal(problems.found, [{ path: 'title', ...missingField }])
    throws(() => problems.refuse(), { status: 400 })
  })
})
