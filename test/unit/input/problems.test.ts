/** The problems of a body: listed up to a number, each with a part of its path; further ones cost nothing. */
import { inputProblems } from '../../../packages/core/src/write/body/input-problems.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('the problems of a body', (test) => {
  test('are listed up to a hundred, and then counted', () => {
    const problems = inputProblems()
    for (let i = 0; i < 250; i++) problems.add(`[${i}]`, 'is required')
    equal([problems.found.size, problems.more], [100, 150])
    equal(inputProblems(problems).more, 150)
  })

  test('beyond that are counted without building their messages', () => {
    const problems = inputProblems()
    for (let i = 0; i < 100; i++) problems.add(`[${i}]`, 'is required')
    let asked = 0
    problems.add('[100]', () => {
      asked += 1
      return 'is required'
    })
    equal(asked, 0)
  })

  test('have at most 200 characters of their path', () => {
    const problems = inputProblems()
    problems.add('k'.repeat(27_000), 'is required')
    equal([...problems.found.keys()], [`${'k'.repeat(200)}…`])
  })

  test('are reported once each', () => {
    const problems = inputProblems()
    for (const _ of [1, 2]) problems.add('title', 'is required')
    equal([...problems.found], [['title', ['is required']]])
    throws(() => problems.refuse(), { status: 400 })
  })
})
