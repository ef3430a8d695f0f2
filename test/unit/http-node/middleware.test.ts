/** How the adapters treat the host's middleware: its errors, and the headers that it has set. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { ApiError } from '@model-api/core'
import { hostError, writeText } from '@model-api/http-node'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('an error of the middleware', (test) => {
  const reasonOf = (error: unknown): unknown => {
    const refusal = hostError(error)
    ok(refusal instanceof ApiError)
    return [refusal.status, refusal.body.reason]
  }

  test('shows its own message if "expose" is true', () => {
    const shown = { status: 403, expose: true, message: 'Not from here.' }
    equal(reasonOf(shown), [403, 'Not from here.'])
    const long = { statusCode: 400, expose: true, message: 'x'.repeat(5000) }
    equal(reasonOf(long), [400, 'x'.repeat(1000)])
  })

  test('hides its message otherwise', () => {
    const words = [400, 'The request could not be read.']
    equal(reasonOf({ status: 400, expose: false, message: 'secret of the host' }), words)
    equal(reasonOf({ status: 400, message: 'secret of the host' }), words)
  })

  test('has its own code, or the name of its status', () => {
    const codeOf = (error: object) => (hostError(error) as ApiError).body.code
    equal(codeOf({ status: 401, code: 'credentials_required' }), 'credentials_required')
    equal(codeOf({ status: 429 }), 'too_many_requests')
    equal(codeOf({ status: 418 }), 'i_m_a_teapot')
    for (const code of ['', 'a code', 7, null]) equal(codeOf({ status: 403, code }), 'forbidden')
  })

  test('keeps its headers', () => {
    const headers = { 'Retry-After': 30, 'WWW-Authenticate': 'Bearer', 'X-List': ['a'] }
    const refusal = hostError({ status: 429, headers }) as ApiError
    equal(refusal.headers, { 'retry-after': '30', 'www-authenticate': 'Bearer' })
  })

  test('is passed on if its status is no integer', () => {
    const failure = { status: 400.5 }
    equal(hostError(failure), failure)
  })

  test('is passed on if it is no 4xx', () => {
    const failure = Object.assign(new Error('no disk'), { status: 500, expose: true })
    equal(hostError(failure), failure)
  })
})

suite('headers of the middleware', (test) => {
  const answered = (before: Readonly<Record<string, string>>): ServerResponse => {
    const res = new ServerResponse(new IncomingMessage(new Socket()))
    for (const [name, value] of Object.entries(before)) res.setHeader(name, value)
    writeText(res, {
      status: 200,
      headers: { vary: 'Authorization', 'x-request-id': 'ours' },
      cookies: ['token=1', 'refresh=2'],
      text: '{}',
    })
    return res
  }

  test('are merged with ours if a header takes several values', () => {
    const res = answered({ vary: 'Accept-Encoding', 'set-cookie': 'lang=en' })
    equal(res.getHeader('vary'), 'Accept-Encoding, Authorization')
    equal(res.getHeader('set-cookie'), ['lang=en', 'token=1', 'refresh=2'])
  })

  test('are replaced by ours of the same name otherwise', () => {
    equal(answered({ 'x-request-id': 'theirs' }).getHeader('x-request-id'), 'ours')
  })
})
