/** docs/reference/errors.md is the output of its script, made from errors.ts and the catalogue, and has every code. */
import { readFileSync } from 'node:fs'
import { catalogue } from '../../packages/core/src/openapi/error-catalogue.ts'
import { errorsPage, page, throwers } from '../../scripts/errors.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('docs/reference/errors.md', (test) => {
  const text = readFileSync(page, 'utf8')

  test('is the output of scripts/errors.ts', () => {
    ok(
      text === errorsPage(),
      'out of date: run node --conditions=@model-api/source scripts/errors.ts',
    )
  })

  test('has one line for every code', () => {
    equal(throwers().length, catalogue.length)
    for (const { error } of catalogue) {
      const { code } = error.body
      equal(text.split(`\n- \`${code}\` ${error.status}: `).length, 2, code)
    }
  })

  test('says when each error occurs', () => {
    for (const { when, text } of throwers()) ok(/^[A-Z`].+\.$/.test(when), `${text}: "${when}"`)
  })
})
