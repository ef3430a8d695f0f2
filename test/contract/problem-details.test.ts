/** Errors as problem details (RFC 9457): who gets them, what they contain, and that they reveal no more than the envelope. */
import { type ApiConfig, ApiError, apiError } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const problem = 'application/problem+json'
const sent = `${problem}; charset=utf-8`
const json = 'application/json; charset=utf-8'
const asked = { accept: problem }
const sending = { ...asked, 'content-type': 'application/json' }

eachDatabase('problem details', (test, db) => {
  test.before(() => createWritableShop(db))
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_BODY_LIMIT: 1024,
    API_HTML_PAGES: false,
  }
  const api = testApi(db, shop, config)

  test('an error is type, title, status, detail, instance, and its code and place', async () => {
    const id = '0b3c8a52-5a3e-4c55-9c0a-3d1f0a6f2b7e'
    const headers = { ...asked, 'x-request-id': id }
    const answer = await send(api, 'GET', '/api/books?titel__eq=x', { headers })
    equal([answer.status, answer.headers['content-type']], [400, sent])
    const { errors } = await send(api, 'GET', '/api/books?titel__eq=x')
    equal(answer.body, {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: errors.reason,
      instance: `urn:uuid:${id}`,
      code: 'unknown_column',
      at: 'titel__eq=x',
    })
    const own = await send(api, 'GET', '/api/nothing', {
      headers: { ...asked, 'x-request-id': 'r.1' },
    })
    equal(own.body.instance, '#r.1')
  })

  test('every failure has this form: 404, 405, 413, 415, 409, 412, HEAD', async () => {
    const long = JSON.stringify({ title: 'x'.repeat(2000) })
    for (const [method, url, extra, status, code] of [
      ['GET', '/api/nothing', {}, 404, 'unknown_path'],
      ['GET', '/elsewhere', {}, 404, 'unknown_path'],
      ['GET', '/api/books/99', {}, 404, 'record_not_found'],
      ['PUT', '/api/books/1', {}, 405, 'method_not_allowed'],
      ['POST', '/api/books', { body: long }, 413, 'body_too_large'],
      [
        'POST',
        '/api/books',
        { headers: { ...asked, 'content-type': 'text/plain' }, body: 'x' },
        415,
        'unsupported_media_type',
      ],
      ['POST', '/api/tags', { body: '{"name":"food"}' }, 409, 'unique_violation'],
      [
        'PATCH',
        '/api/books/1',
        { headers: { ...sending, 'if-match': '"x"' }, body: '{"rating":1}' },
        412,
        'precondition_failed',
      ],
      ['QUERY', '/api/books', { headers: sending, body: '{}' }, 415, 'unsupported_media_type'],
    ] as const) {
      const answer = await send(api, method, url, { headers: sending, ...extra })
      equal([answer.status, answer.headers['content-type']], [status, sent], `${method} ${url}`)
      equal([answer.body.status, answer.body.code], [status, code], `${method} ${url}`)
      ok(!('errors' in answer.body) && !('value' in answer.body))
    }
    const head = await send(api, 'HEAD', '/api/books/99', { headers: asked })
    equal([head.status, head.headers['content-type']], [404, sent])
  })

  test('problems of a body, the first of them as detail', async () => {
    const body = '[{"title":"ok"},{"titel":"x","rating":"high"}]'
    const plain = await send(api, 'POST', '/api/books', {
      headers: { 'content-type': 'application/json' },
      body,
    })
    const answer = await send(api, 'POST', '/api/books', { headers: sending, body })
    equal([answer.status, answer.body.title], [400, 'Validation failed'])
    equal(answer.body.problems, plain.errors.problems)
    ok(!('reason' in answer.body))
    const [[path, [first]]] = Object.entries(plain.errors.reason) as [[string, [string]]]
    equal(answer.body.detail, `${path}: ${first}`)
  })

  test('the error of a failed batch has the form that the Accept header of the batch requests', async () => {
    const failing = { method: 'GET', url: '/api/books/99', headers: { accept: 'application/json' } }
    const answer = await sendBatch(api, [failing], {}, asked)
    equal([answer.status, answer.headers['content-type']], [404, sent])
    equal([answer.body.code, answer.body.at], ['record_not_found', 'operations[0]'])
    const inside = await sendBatch(api, [{ ...failing, headers: asked }])
    equal([inside.status, inside.headers['content-type']], [404, json])
  })

  test('Accept must name the type, and give JSON no higher weight', async () => {
    for (const [accept, type] of [
      [undefined, json],
      ['*/*', json],
      ['application/*', json],
      ['application/json', json],
      ['application/problem+json', sent],
      ['Application/Problem+JSON', sent],
      ['application/json, application/problem+json', sent],
      ['application/problem+json;q=0.5, application/json;q=0.4', sent],
      ['application/problem+json;q=0.5, application/json', json],
      ['application/problem+json;q=0', json],
      ['text/html, application/problem+json', sent],
    ] as const) {
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      const { headers: answered } = await send(api, 'GET', '/api/books/99', { headers })
      equal(answered['content-type'], type, accept)
    }
  })

  test('the Vary header of an apiError of the host is kept', async () => {
    const tenant = new ApiError(403, { error: 'Forbidden' }, { Vary: 'X-Tenant' })
    const refusing = testApi(db, shop, {
      API_SETUP_CALLBACK: () => {
        throw tenant
      },
    })
    const { status, headers } = await send(refusing, 'GET', '/api/tags')
    equal([status, headers.vary], [403, 'X-Tenant, Accept'])
  })

  test('successes stay as they are; only errors vary by Accept', async () => {
    const plain = await send(api, 'GET', '/api/tags/1')
    const answer = await send(api, 'GET', '/api/tags/1', { headers: asked })
    equal(answer, plain)
    equal([plain.headers['content-type'], plain.headers.vary], [json, undefined])
    for (const headers of [{}, asked]) {
      equal((await send(api, 'GET', '/api/tags/99', { headers })).headers.vary, 'Accept')
    }
    const closed = testApi(db, shop, {
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => true,
    })
    const refused = await send(closed, 'GET', '/api/tags/99', { headers: asked })
    equal([refused.status, refused.body.code], [404, 'record_not_found'])
    match(refused.headers.vary ?? '', /, Accept$/)
  })

  test('429 keeps its headers', async () => {
    const limited = testApi(db, shop, { API_RATE_LIMIT: '1 per hour' })
    const ask = () =>
      limited.handle({ method: 'GET', url: '/api/tags', headers: asked, ip: '192.0.2.1' })
    await ask()
    const { status, headers, body } = await ask()
    equal([status, headers['content-type'], headers['retry-after']], [429, sent, '3600'])
    equal((body as unknown as { code: string }).code, 'too_many_requests')
  })

  test('500 contains the request id and nothing else', async () => {
    const reported: unknown[] = []
    const broken = testApi(
      db,
      shop,
      {
        API_DUMP_CALLBACK: () => {
          throw new Error('secret words')
        },
      },
      { onError: (error) => reported.push(error) },
    )
    const answer = await send(broken, 'GET', '/api/tags/1', { headers: asked })
    equal([answer.status, answer.headers['content-type'], reported.length], [500, sent, 1])
    equal(Object.keys(answer.body), ['type', 'title', 'status', 'detail', 'instance', 'code'])
    ok(!answer.text.includes('secret words'))
  })

  test('an error of the host has no code, and any reason', async () => {
    const refusing = testApi(db, shop, {
      API_SETUP_CALLBACK: () => {
        throw apiError(418, 'Teapot', { short: true, list: [1] })
      },
    })
    const own = await refusing.handle({
      method: 'GET',
      url: '/api/tags',
      headers: { ...asked, 'x-request-id': 'r' },
    })
    equal(own.body as unknown, {
      type: 'about:blank',
      title: 'Teapot',
      status: 418,
      instance: '#r',
      reason: { short: true, list: [1] },
    })
  })

  test('what a final callback removes from an error is missing from the problem details', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
    const final = (body: any) => ({ ...body, errors: body.errors && { error: 'No' } })
    const shy = testApi(db, shop, { API_FINAL_CALLBACK: final })
    const answer = await shy.handle({ method: 'GET', url: '/api/books/99', headers: asked })
    equal(Object.keys(answer.body ?? {}), ['type', 'title', 'status', 'instance'])
    equal((answer.body as unknown as { title: string }).title, 'No')
    const other = testApi(db, shop, { API_FINAL_CALLBACK: () => ({ mine: true }) })
    const mine = await other.handle({ method: 'GET', url: '/api/books/99', headers: asked })
    equal([mine.headers['content-type'], mine.body as unknown], [json, { mine: true }])
  })
})
