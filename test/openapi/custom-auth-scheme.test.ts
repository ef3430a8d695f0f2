/** API_CUSTOM_AUTH_SCHEME: its effect on the document and on Vary, and its start-up errors. */
import { type Api, type ApiConfig, createApi } from '@model-api/core'
import { equal, fail, match, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

function served(scheme: unknown, settings: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const config = {
    API_AUTHENTICATE_METHOD: ['custom'],
    API_CUSTOM_AUTH: () => false,
    API_SCHEMA_CHECK: 'off',
    ...(scheme === undefined ? {} : { API_CUSTOM_AUTH_SCHEME: scheme }),
    ...settings,
  } as ApiConfig
  return createApi({ db: db.kysely, models: shop, config, env: {}, onWarning: () => {} })
}

const described = async (scheme: unknown): Promise<unknown> => {
  const document = await served(scheme).openapi()
  equal(document.paths?.['/api/tags']?.get?.security, [{ custom: [] }])
  return document.components?.securitySchemes?.custom
}

const varyOf = async (scheme: unknown): Promise<string | undefined> => {
  const api = served(scheme, { API_AUTH_REQUIREMENTS: { '*': false }, API_HTML_PAGES: false })
  return (await api.handle({ method: 'GET', url: '/api' })).headers.vary
}

suite('the scheme of custom authentication', (test) => {
  const description = 'What this installation itself reads of a request.'

  test('is described as in the setting', async () => {
    equal(await described({ in: 'cookie', name: 'session' }), {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description,
    })
    equal(await described({ in: 'header', name: 'X-Session', description: 'Of the portal.' }), {
      type: 'apiKey',
      in: 'header',
      name: 'X-Session',
      description: 'Of the portal.',
    })
    const bearer = { type: 'http', scheme: 'bearer' }
    equal(await described({ in: 'bearer', format: 'JWT' }), {
      ...bearer,
      bearerFormat: 'JWT',
      description,
    })
    equal(await described({ in: 'bearer' }), { ...bearer, description })
  })

  test('is the header Authorization without the setting', async () => {
    equal(await described(undefined), {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description,
    })
  })

  test('adds its header to Vary', async () => {
    equal(await varyOf(undefined), 'Authorization')
    equal(await varyOf({ in: 'bearer' }), 'Authorization')
    equal(await varyOf({ in: 'cookie', name: 'session' }), 'Authorization, Cookie')
    equal(await varyOf({ in: 'header', name: 'X-Session' }), 'Authorization, X-Session')
  })

  test('is shown in the examples', async () => {
    const sampleOf = async (scheme: unknown): Promise<string> =>
      (await served(scheme).openapi()).paths?.['/api/tags']?.get?.['x-codeSamples'][0].source
    match(await sampleOf({ in: 'cookie', name: 'session' }), '-b "session=$COOKIE"')
    match(await sampleOf({ in: 'header', name: 'X-Session' }), '-H "X-Session: $KEY"')
    match(await sampleOf({ in: 'bearer' }), '-H "Authorization: Bearer $TOKEN"')
  })

  test('lists the CSRF header on operations that write', async () => {
    const scheme = { in: 'cookie', name: 'session', csrf: 'x-csrf-token' }
    const headersOf = async (
      settings: ApiConfig,
      path: string,
      method: 'get' | 'post' | 'delete',
    ) => {
      const operation = (await served(scheme, settings).openapi()).paths?.[path]?.[method]
      return (operation?.parameters ?? []).flatMap((one) =>
        'name' in one && one.name === 'x-csrf-token' ? [[one.in, one.required]] : [],
      )
    }
    const all: ApiConfig = { API_ALLOW_BATCH: true }
    equal(await headersOf(all, '/api/tags', 'post'), [['header', true]])
    equal(await headersOf(all, '/api/tags/{id}', 'delete'), [['header', true]])
    equal(await headersOf(all, '/api/tags', 'get'), [])
    // The header is optional, because other credentials are accepted, and some operations need none.
    equal(await headersOf(all, '/api/batch', 'post'), [['header', false]])
    equal(await headersOf({ API_AUTH_REQUIREMENTS: { '*': false } }, '/api/tags', 'post'), [
      ['header', false],
    ])
    const either: ApiConfig = {
      API_AUTHENTICATE_METHOD: ['custom', 'api_key'],
      API_KEY_AUTH_AND_RETURN_METHOD: () => null,
    }
    equal(await headersOf(either, '/api/tags', 'post'), [['header', false]])
    const sample = (await served(scheme).openapi()).paths?.['/api/tags']?.post?.['x-codeSamples'][0]
      .source
    match(sample, '-b "session=$COOKIE" \\\n  -H "x-csrf-token: $CSRF_TOKEN"')
  })

  test('is refused at the start if it is invalid', () => {
    const mistakes: readonly (readonly [unknown, RegExp])[] = [
      ['session', /expected an object such as/],
      [
        { in: 'cooky', name: 'x' },
        /in: expected one of cookie, header, bearer\. Did you mean "cookie"/,
      ],
      [{ in: 'cookie' }, /name: expected the name of a cookie/],
      [{ in: 'header', name: 'X Session' }, /name: expected the name of a header/],
      [{ in: 'cookie', name: 'session', csrf: 'x csrf' }, /csrf: expected the name of a header/],
      [
        { in: 'header', name: 'X-Session', csrf: 'x-csrf-token' },
        /"csrf" is not a member of the scheme "header"/,
      ],
      [{ in: 'bearer', name: 'x' }, /"name" is not a member of the scheme "bearer"/],
      [{ in: 'bearer', format: 7 }, /format: expected a string/],
    ]
    for (const [scheme, problem] of mistakes) {
      throws(() => served(scheme), problem)
      throws(() => served(scheme), /config\.API_CUSTOM_AUTH_SCHEME/)
    }
    throws(
      () => served({ in: 'bearer' }, { API_AUTHENTICATE_METHOD: [] }),
      /config\.API_CUSTOM_AUTH_SCHEME: belongs to the strategy "custom", which is not enabled/,
    )
    throws(
      () => served(undefined, { API_AUTHENTICATE_METHOD: [], API_CUSTOM_AUTH_PER_BATCH: true }),
      /config\.API_CUSTOM_AUTH_PER_BATCH: belongs to the strategy "custom", which is not enabled/,
    )
  })
})
