/** The document describes every error of the service, and the service can send every code in the document. */
import * as errors from '../../packages/core/src/errors.ts'
import { catalogue } from '../../packages/core/src/openapi/error-catalogue.ts'
import { phrases } from '../../packages/core/src/openapi/error-responses.ts'
import { equal, ok } from '../support/assert.ts'
import { sourceOf } from '../support/source-text.ts'
import { suite } from '../support/suite.ts'

/** Exports of errors.ts that create no error of the service. */
const notErrors = [
  'ApiError',
  'apiError',
  'withReason',
  'withBody',
  'atOperation',
  'isOfHost',
  'UnreadBody',
  'unreadBody',
]

suite('the error catalogue', (test) => {
  test('has every error of errors.ts', () => {
    const text = sourceOf('packages/core/src/openapi/error-catalogue.ts')
    const missing = Object.keys(errors).filter(
      (name) => !notErrors.includes(name) && !text.includes(`errors.${name}(`),
    )
    equal(missing, [])
  })

  test('gives each error a cause, a code and a phrase', () => {
    for (const { error, on } of catalogue) {
      const code = error.body.code ?? ''
      ok(on.length > 0 && /^[a-z_]+$/.test(code), error.message)
      ok(phrases[error.status] !== undefined, `${error.status}`)
    }
  })

  test('names each error by the phrase of its status, except those that the specification names', () => {
    const others = catalogue.flatMap(({ error: { status, body } }) =>
      body.error === phrases[status] ? [] : [`${status} ${body.code}: ${body.error}`],
    )
    equal(others, [
      '400 invalid_join_model: Invalid join model: autor',
      '400 validation_failed: Validation failed',
    ])
  })
})
