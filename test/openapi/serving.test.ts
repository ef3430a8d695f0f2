/** Serving the document: compressed if the client accepts that, validated by its ETag, and built in slices between other requests. */
import { gunzipSync } from 'node:zlib'
import { type AnyModel, type Api, createApi } from '@model-api/core'
import { wideModels } from '../../bench/wide-models.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

function apiOf(models: readonly AnyModel[]): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const config = { API_ALLOW_JOIN: true }
  return createApi({ db: db.kysely, models, config, env: {}, onWarning: () => {} })
}

const script = 'console.log("redoc")\n'.repeat(200)
const asset = async () => ({ text: script, module: true })

suite('the documentation in gzip', (test) => {
  const api = apiOf(shop)
  const ask = (url: string, encoding?: string, more: Readonly<Record<string, string>> = {}) =>
    api.answer({
      method: 'GET',
      url,
      takesBytes: true,
      asset: url.endsWith('.js') ? asset : async () => undefined,
      headers: { ...(encoding === undefined ? {} : { 'accept-encoding': encoding }), ...more },
    })

  for (const url of ['/openapi.json', '/docs/apispec.json', '/docs', '/docs/redoc.js']) {
    test(`${url} has the same content`, async () => {
      const [plain, small] = [await ask(url), await ask(url, 'gzip, deflate, br')]
      equal([plain.bytes, plain.headers['content-encoding']], [undefined, undefined])
      equal(small.headers['content-encoding'], 'gzip')
      const bytes = small.bytes ?? fail('not compressed')
      equal(gunzipSync(bytes).toString(), plain.text)
      ok(bytes.length * 2 < (plain.text ?? '').length)
      for (const { headers } of [plain, small]) equal(headers.vary, 'accept-encoding')
      ok(plain.headers.etag !== small.headers.etag)
    })
  }

  test('is sent only to clients that accept it', async () => {
    const encodingOf = async (accepted?: string) =>
      (await ask('/openapi.json', accepted)).headers['content-encoding']
    for (const accepted of ['gzip', 'br;q=1.0, GZIP;q=0.2', '*', 'identity, *;q=0.1']) {
      equal(await encodingOf(accepted), 'gzip', accepted)
    }
    for (const refused of [undefined, '', 'br', 'gzip;q=0', 'gzip;q=0.0, *', 'gzip-like', 'x;q=']) {
      equal(await encodingOf(refused), undefined, String(refused))
    }
  })

  test('is not used by an adapter that sends text', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const { bytes, headers: sent } = await api.answer({
      method: 'GET',
      url: '/openapi.json',
      headers,
    })
    equal([bytes, sent['content-encoding']], [undefined, undefined])
  })

  test('is not sent again to a client that has cached it', async () => {
    for (const encoding of [undefined, 'gzip']) {
      const first = await ask('/openapi.json', encoding)
      const etag = first.headers.etag ?? fail('no ETag')
      const again = await ask('/openapi.json', encoding, { 'if-none-match': etag })
      equal([again.status, again.text, again.headers.etag], [304, undefined, etag])
      equal((await ask('/openapi.json', encoding, { 'if-none-match': '"other"' })).status, 200)
    }
  })

  test('is sent by fetch as text if the host disables compression', async () => {
    const request = new Request('http://api.test/openapi.json', {
      headers: { 'accept-encoding': 'gzip' },
    })
    const answer = await api.fetch(request, { compress: false })
    equal(answer.headers.get('content-encoding'), null)
    equal(((await answer.json()) as { openapi: string }).openapi.slice(0, 3), '3.1')
  })

  test('is sent by fetch', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await api.fetch(new Request('http://api.test/openapi.json', { headers }))
    equal(answer.headers.get('content-encoding'), 'gzip')
    const bytes = Buffer.from(await answer.arrayBuffer())
    equal(answer.headers.get('content-length'), String(bytes.length))
    equal(JSON.parse(gunzipSync(bytes).toString()), await api.openapi())
  })
})

suite('the document of many models', (test) => {
  test('is written as JSON.stringify writes it', async () => {
    const api = apiOf(shop)
    const { text } = await api.answer({ method: 'GET', url: '/openapi.json' })
    equal(text, JSON.stringify(await api.openapi()))
    const below = await api.answer({ method: 'GET', url: '/openapi.json', baseUrl: '/v1' })
    equal(JSON.parse(below.text ?? ''), { ...(await api.openapi()), servers: [{ url: './' }] })
  })

  test('has one text at all mounts, so that clients who vary the mount cost nothing', async () => {
    const api = apiOf(shop)
    const headers = { 'accept-encoding': 'gzip' }
    for (const url of ['/openapi.json', '/docs/apispec.json', '/docs']) {
      const ask = (baseUrl: string) =>
        api.answer({ method: 'GET', url, headers, baseUrl, takesBytes: true })
      const first = await ask('/Tenant-0')
      for (let i = 1; i < 30; i++) {
        const { text, bytes, headers } = await ask(`/Tenant-${i}`)
        equal(headers.etag, first.headers.etag, url)
        ok(text === first.text)
        // The same object: it was compressed once.
        ok(bytes !== undefined && bytes === first.bytes, `${url} is compressed for each mount`)
      }
    }
  })

  test('names its servers and other parts relative to itself at every mount', async () => {
    const api = apiOf(shop)
    const origin = 'http://api.test'
    for (const [url, mount] of [
      ['/openapi.json', '/v1'],
      ['/docs/apispec.json', '/a/b'],
    ]) {
      const { body } = await api.handle({ method: 'GET', url: `${url}`, baseUrl: `${mount}` })
      const [server] = (body as unknown as { servers: { url: string }[] }).servers
      equal(new URL(server?.url ?? '', `${origin}${mount}${url}`).href, `${origin}${mount}/`)
      const page = await api.answer({ method: 'GET', url: '/docs', baseUrl: `${mount}` })
      const [, link = ''] = /href="([^"]*)">OpenAPI document/.exec(page.text ?? '') ?? []
      equal(new URL(link, `${origin}${mount}/docs`).href, `${origin}${mount}/docs/apispec.json`)
    }
  })

  for (const url of ['/openapi.json', '/docs']) {
    test(`lets other requests run while it is built: ${url}`, async () => {
      const api = apiOf(wideModels(100))
      let answered = false
      let turns = 0
      const turn = (): void => {
        turns++
        if (!answered) setImmediate(turn)
      }
      setImmediate(turn)
      const { status, text } = await api.answer({ method: 'GET', url })
      answered = true
      equal(status, 200)
      match(text ?? '', '/api/languages')
      // 590 paths and 1,000 components, 25 at a time.
      ok(turns > 40, `${turns} turns`)
    })
  }

  test('is the same, built at once or in steps', async () => {
    const [sliced, whole] = [apiOf(wideModels(30)), apiOf(wideModels(30))]
    const { body } = await sliced.handle({ method: 'GET', url: '/openapi.json' })
    equal(body as unknown, (await whole.openapi()) as unknown)
  })
})
