/** Validation of a body: all problems at once, each with its path. */
import { type AnyModel, defineModel, type FieldProblem } from '@model-api/core'
import type { ValidatorName } from '../../packages/core/src/model/validator-names.ts'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { Book, countRows, createLibrary, everything, library, marking } from './models.ts'

const json = { 'content-type': 'application/json' }
const id = { type: 'integer', primaryKey: true, generated: true } as const

eachDatabase('validation', (test, db) => {
  const api = testApi(db, library, marking)
  const nested = testApi(db, library, everything)
  test.before(() => createLibrary(db))

  const problems = async (
    url: string,
    body: unknown,
    on = api,
  ): Promise<Record<string, string[]>> => {
    const { status, errors } = await send(on, 'POST', url, { body, headers: json })
    equal([status, errors.error], [400, 'Validation failed'])
    return errors.reason
  }

  test('reports all problems at once, by path', async () => {
    const body = {
      titel: 'x',
      price: '1.234',
      rating: '5',
      sold: 1.5,
      in_stock: 1,
      kind: 'essay',
      cover: 'é',
      since: '2023-02-29',
      read_at: 'yesterday',
      opens: '25:00',
      author_id: '1',
      code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
      id: 1,
    }
    equal(await problems('/api/books', body), {
      titel: ['Unknown field "titel". Did you mean "title"?'],
      price: ['Expected a decimal number with at most 2 digits after the point.'],
      rating: ['Expected a number such as 12.5 or 1e-3.'],
      sold: ['Expected a whole number of 64 bits.'],
      in_stock: ['Expected true or false.'],
      kind: ['Expected one of novel, poems.'],
      cover: ['Expected bytes as a base64 text.'],
      since: ['Expected a date such as 1925-05-14.'],
      read_at: [
        'Expected a date and time such as 2024-05-14T10:30:00Z, to the millisecond at most.',
      ],
      opens: ['Expected a time such as 10:30:00.'],
      author_id: ['Expected a whole number between -9007199254740991 and 9007199254740991.'],
      code: ['This field is generated.'],
      id: ['This field is generated.'],
      title: ['This field is required.'],
    })
  })

  test('each problem has a code, and the params of its message', async () => {
    const codes = async (url: string, body: unknown, on = api): Promise<unknown> => {
      const { errors } = await send(on, 'POST', url, { body, headers: json })
      return errors.problems.map(({ path, code, params }: FieldProblem) => [path, code, params])
    }
    const body = {
      titel: 'x',
      price: '1.234',
      rating: '5',
      in_stock: 1,
      kind: 'essay',
      since: '2023-02-29',
      author_id: null,
      code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    }
    equal(await codes('/api/books', body), [
      ['titel', 'unknown_field', { field: 'titel' }],
      ['price', 'too_precise', { max: 2 }],
      ['rating', 'wrong_type', { type: 'float' }],
      ['in_stock', 'wrong_type', { type: 'boolean' }],
      ['kind', 'not_listed', { allowed: ['novel', 'poems'] }],
      ['since', 'wrong_type', { type: 'date' }],
      ['code', 'read_only', { why: 'generated' }],
      ['title', 'required', {}],
    ])
    equal(await codes('/api/tags', { name: null }), [['name', 'null_not_allowed', {}]])
    equal(await codes('/api/tags', { name: 'x'.repeat(50) }), [
      ['name', 'too_long', { max: 40, length: 50 }],
    ])
    equal(await codes('/api/books', { title: 'x', tags: [3] }, nested), [
      ['tags[0]', 'wrong_type', { type: 'object' }],
    ])
    equal(await codes('/api/books', { title: 'x', tags: [] }), [['tags', 'nested_not_allowed', {}]])
  })

  test('a field that clients may not write is a problem', async () => {
    const reason = await problems('/api/authors', { name: 'A', shelf: 'x' })
    equal(reason, { shelf: ['This field is read-only.'] })
  })

  test('hidden fields are refused like unknown ones', async () => {
    const reason = await problems('/api/authors', { name: 'A', secret: 'x', nothing: 1 })
    equal(reason.secret, ['Unknown field "secret".'])
    equal(reason.nothing, ['Unknown field "nothing".'])
  })

  test('a scalar column takes neither an object nor a list, nor another scalar', async () => {
    for (const name of [{ x: 1 }, ['x'], true, 5]) {
      equal(Object.keys(await problems('/api/tags', { name })), ['name'])
    }
    equal(await problems('/api/tags', { name: null }), { name: ['This field cannot be null.'] })
  })

  test('no object or list reaches a scalar column of any type, in bodies, keys, filters and links', async () => {
    const fields = Object.entries(Book.columns)
      .filter(([, { type }]) => type !== 'json')
      .map(([field]) => field)
    equal(fields.length > 12, true)
    for (const field of fields) {
      for (const value of [{ x: 1 }, { toSqlString: 'x' }, [], ['x', 'y'], [[1, 2]]]) {
        for (const [method, url, body] of [
          ['POST', '/api/books', { title: 'x', [field]: value }],
          ['POST', '/api/books', [{ title: 'x' }, { title: 'x', [field]: value }]],
          ['PATCH', '/api/books/1', { [field]: value }],
          ['POST', '/api/authors', { name: 'x', books: [{ title: 'x', [field]: value }] }],
        ] as const) {
          const { result, statements } = await db.capture(() => send(nested, method, url, { body }))
          const about = `${method} ${url} ${JSON.stringify(body)}`
          equal(result.status, 400, about)
          equal(
            statements.filter(({ sql }) => !/^(begin|rollback)/i.test(sql)),
            [],
            about,
          )
        }
      }
    }
  })

  test('drivers get scalars alone as parameters: mysql2 would write an object or a list as SQL', async () => {
    const { statements } = await db.capture(async () => {
      const whole = {
        title: 'x',
        details: { a: [1, { b: 2 }] },
        in_stock: false,
        price: '1.50',
        rating: 0.5,
        sold: '9007199254740993',
        cover: 'AAH/',
        since: '2020-01-01',
        read_at: '2020-01-01T00:00:00Z',
        opens: '10:30:00',
        tags: [{ name: 'of scalars' }],
      }
      const made = await send(nested, 'POST', '/api/books', { body: whole })
      equal(made.status, 201, made.text)
      const { id } = made.value
      const list = [whole, { ...whole, details: [1, 2] }].map(({ tags, ...book }) => book)
      equal((await send(nested, 'POST', '/api/books', { body: list })).status, 201)
      for (const body of [{ details: ['x', { y: null }] }, { details: null }, { cover: '' }]) {
        equal((await send(nested, 'PATCH', `/api/books/${id}`, { body })).status, 200)
        equal((await send(nested, 'PATCH', '/api/books', { body: [{ id, ...body }] })).status, 200)
      }
      const many = Array.from({ length: 40 }, (_, i) => i)
      for (const filter of [
        `id__in=(${many})`,
        `price__in=(${many})`,
        `title__nin=(${many})`,
        'in_stock__eq=false',
        'since__between=(2020-01-01,2020-01-02)',
        'read_at__in=(2020-01-01,2020-01-02)',
      ]) {
        equal((await send(nested, 'GET', `/api/books?${filter}`)).status, 200, filter)
      }
    })
    const isScalar = (value: unknown): boolean =>
      value === null ||
      value instanceof Uint8Array ||
      ['string', 'bigint', 'boolean'].includes(typeof value) ||
      Number.isFinite(value)
    // pg sends a list as an array of PostgreSQL.
    const mayBeSent = (value: unknown): boolean =>
      isScalar(value) || (db.name === 'postgres' && Array.isArray(value) && value.every(isScalar))
    const others = statements.filter(({ parameters }) => !parameters.every(mayBeSent))
    equal([statements.length > 20, others], [true, []])
  })

  test('lengths are counted in characters', async () => {
    equal((await send(api, 'POST', '/api/tags', { body: { name: '😀'.repeat(40) } })).status, 201)
    equal(await problems('/api/tags', { name: 'é'.repeat(41) }), {
      name: ['Expected at most 40 characters, got 41.'],
    })
  })

  test('NUL and half a surrogate pair are refused everywhere', async () => {
    equal(Object.keys(await problems('/api/tags', { name: 'a\0' })), ['name'])
    equal(Object.keys(await problems('/api/tags', { name: '\ud800' })), ['name'])
    const deep = { title: 'x', details: { a: ['\0'] } }
    equal(Object.keys(await problems('/api/books', deep)), ['details.a[0]'])
  })

  test('validator, validator_message and format', async () => {
    const bad = { name: 'A', email: 'no', homepage: 'javascript:alert(1)' }
    equal(await problems('/api/authors', bad), {
      email: ['Not an e-mail address'],
      homepage: ['Expected a web address such as https://example.org/page.'],
    })
    for (const homepage of ['ftp://x.org/', 'https://user:pw@x.org/', '//x.org', 'https://', 'x']) {
      equal(Object.keys(await problems('/api/authors', { name: 'A', homepage })), ['homepage'])
    }
    const good = { name: 'A', email: 'ann@example.org', homepage: 'https://example.org/a?b=c#d' }
    equal((await send(api, 'POST', '/api/authors', { body: good })).status, 201)
  })

  const named: readonly (readonly [
    name: ValidatorName,
    message: string,
    good: readonly string[],
    bad: readonly string[],
  ])[] = [
    [
      'email',
      'Expected an e-mail address such as ann@example.org.',
      ['ann@example.org', "o'neil+x@mail.example.co"],
      ['ann', 'ann@example', '@example.org', 'a..b@example.org', 'ann@example.org ', 'a b@x.org'],
    ],
    [
      'uri',
      'Expected a web address such as https://example.org/page.',
      ['https://example.org', 'HTTP://x.org:8080/a?b#c'],
      ['javascript:alert(1)', 'ftp://x.org', '/page', 'https://u:p@x.org', 'https://x.org/a b'],
    ],
    [
      'url',
      'Expected a web address such as https://example.org/page.',
      ['https://example.org/page'],
      ['example.org', 'data:text/html,x'],
    ],
    [
      'uuid',
      'Expected a UUID.',
      ['3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01', '3F2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01'],
      ['3f2b8c1e', '3f2b8c1e0d4a4b7e9a526c1d8e7f9a01', '3g2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'],
    ],
    [
      'slug',
      'Expected lower-case letters and digits, in words joined by "-".',
      ['a', 'war-and-peace-2'],
      ['War', 'a--b', '-a', 'a-', 'a_b', 'é', 'a b'],
    ],
    [
      'hostname',
      'Expected a host name.',
      ['localhost', 'api.example.org', 'a-1.x'],
      ['-a.org', 'a-.org', 'a..b', 'a_b.org', `${'x'.repeat(64)}.org`, 'https://x.org', 'a.'],
    ],
    [
      'ipv4',
      'Expected an IPv4 address such as 192.0.2.1.',
      ['192.0.2.1', '0.0.0.0', '255.255.255.255'],
      ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '::1', '1.2.3.4/8'],
    ],
  ]
  for (const [validator, message, good, bad] of named) {
    test(`the validator ${validator} takes ${good.join(' and ')}`, async () => {
      const Named = defineModel('Named', {
        table: 'tags',
        columns: { id, name: { type: 'string', validator } },
        meta: {},
      })
      const own = testApi(db, [Named] as readonly AnyModel[])
      for (const name of bad)
        equal(await problems('/api/nameds', { name }, own), { name: [message] })
      for (const name of good) {
        const { status, value } = await send(own, 'POST', '/api/nameds', { body: { name } })
        equal([status, value?.name], [201, name])
        await db.kysely.deleteFrom('tags').where('name', '=', name).execute()
      }
    })
  }

  test('a function sees the whole record, also in a change of one field', async () => {
    const body = { title: 'x', since: '2024-01-02', until: '2024-01-01' }
    equal(await problems('/api/books', body), { until: ['Before it began'] })
    const { headers } = await send(api, 'POST', '/api/books', {
      body: { title: 'x', since: '2024-01-02' },
    })
    const { status, errors } = await send(api, 'PATCH', headers.location ?? '', {
      body: { until: '2024-01-01', price: 'x' },
    })
    equal([status, Object.keys(errors.reason).sort()], [400, ['price', 'until']])
  })

  test('an issue of a Standard Schema inside a document is named by its index and member', async () => {
    const issues = [
      { message: 'Not a text', path: [3] },
      { message: 'Too low', path: ['lines', { key: 2 }, 'price'] },
      { message: 'Wrong', path: [] },
      { message: 'Again' },
    ]
    const Order = defineModel('Order', {
      columns: {
        id,
        data: {
          type: 'json',
          validator: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } },
        },
      },
      meta: {},
    })
    const own = testApi(db, [Order], { API_ALLOW_BULK: true })
    const body = [{ data: {} }]
    const { status, errors } = await send(own, 'POST', '/api/orders', { body })
    equal(
      [status, errors.reason],
      [
        400,
        {
          '[0].data[3]': ['Not a text'],
          '[0].data.lines[2].price': ['Too low'],
          '[0].data': ['Wrong', 'Again'],
        },
      ],
    )
  })

  test('any Standard Schema, sync or async; one that throws is 500', async () => {
    const schema = (validate: (value: unknown) => unknown) => ({
      '~standard': { version: 1 as const, vendor: 'test', validate: validate as never },
    })
    const issues = [{ message: 'Too bad' }, { message: 'Really' }]
    const Sample = defineModel('Sample', {
      table: 'tags',
      columns: {
        id,
        name: {
          type: 'string',
          validator: schema(async (value) => (value === 'good' ? { value } : { issues })),
        },
      },
      meta: {},
    })
    const Throwing = defineModel('Throwing', {
      table: 'tags',
      columns: {
        id,
        name: {
          type: 'string',
          validator: () => {
            throw new Error('secret detail')
          },
        },
      },
      meta: {},
    })
    const reported: unknown[] = []
    const own = testApi(
      db,
      [Sample, Throwing] as readonly AnyModel[],
      {},
      { onError: (error) => void reported.push(error) },
    )
    equal(await problems('/api/samples', { name: 'bad' }, own), { name: ['Too bad', 'Really'] })
    equal((await send(own, 'POST', '/api/samples', { body: { name: 'good' } })).status, 201)
    const failed = await send(own, 'POST', '/api/throwings', { body: { name: 'x' } })
    equal([failed.status, failed.errors.reason], [500, 'Request test'])
    equal(reported.map(String), ['Error: The validator of Throwing.name failed: secret detail'])
  })

  test('a body is an application/json object', async () => {
    const post = async (body: unknown, headers: Record<string, string> = json) => {
      const { status, errors } = await send(api, 'POST', '/api/tags', { body, headers })
      return [status, errors.code]
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    equal(await post('name=x', form), [415, 'unsupported_media_type'])
    equal(await post('{"name":"x"}', {}), [415, 'unsupported_media_type'])
    equal(await post('{"name":"x"'), [400, 'malformed_json'])
    equal(await post(''), [400, 'empty_body'])
    equal(await post('"x"'), [400, 'validation_failed'])
    equal(await post('[{"name":"x"}]'), [400, 'wrong_body'])
    equal(await post(`{"name":"${'x'.repeat(1_100_000)}"}`), [413, 'body_too_large'])
    // The limit counts bytes.
    equal(await post(`{"name":"${'é'.repeat(600_000)}"}`), [413, 'body_too_large'])
    equal(await post(`{"name":"${'€'.repeat(400_000)}"}`), [413, 'body_too_large'])
    const latin1 = Buffer.from('{"name":"\xe9"}', 'latin1')
    equal(await post(latin1), [400, 'malformed_encoding'])
    const deep = `{"name":${'['.repeat(40)}${']'.repeat(40)}}`
    equal(await post(deep), [400, 'malformed_json'])
  })

  test('duplicate keys, keys that reach a prototype, and lost digits are problems', async () => {
    const twice = '{"name":"a","name":"b"}'
    equal(await problems('/api/tags', twice), { name: ['The key is given twice.'] })
    const proto = '{"name":"a","__proto__":{"x":1}}'
    equal(Object.keys(await problems('/api/tags', proto)), ['__proto__'])
    const parsed = JSON.parse('{"name":"a","constructor":1}')
    equal(Object.keys(await problems('/api/tags', parsed)), ['constructor'])
    const digits = '{"title":"x","sold":9007199254740993,"price":0.12345678901234567}'
    const reason = await problems('/api/books', digits)
    equal(Object.keys(reason).sort(), ['price', 'sold'])
    match(reason.sold?.[0] ?? '', 'Expected a string')
  })

  test('a nested object is a problem if nested writes are disabled', async () => {
    const reason = await problems('/api/books', { title: 'x', author: { name: 'A' } })
    match(reason.author?.[0] ?? '', 'API_ALLOW_NESTED_WRITES')
  })

  test('nested problems have their path', async () => {
    const books = [{ title: 'x' }, { titel: 'y', tags: [{ name: 1 }] }]
    equal(await problems('/api/authors', { name: 'A', books, profile: {} }, nested), {
      'books[1].titel': ['Unknown field "titel". Did you mean "title"?'],
      'books[1].tags[0].name': ['Expected a string.'],
      'books[1].title': ['This field is required.'],
      'profile.motto': ['This field is required.'],
    })
  })

  test('nesting ends at API_MAX_DEPTH', async () => {
    const shallow = testApi(db, library, { ...everything, API_MAX_DEPTH: 1 })
    const body = { name: 'A', books: [{ title: 'x', tags: [{ name: 'deep' }] }] }
    const reason = await problems('/api/authors', body, shallow)
    match(reason['books[0].tags']?.[0] ?? '', 'API_MAX_DEPTH')
  })

  test('a refused body writes nothing', async () => {
    const before = await countRows(db, 'authors', 'books', 'tags')
    const body = { name: 'A', books: [{ title: 'x', tags: [{ name: 5 }] }] }
    await problems('/api/authors', body, nested)
    equal(await countRows(db, 'authors', 'books', 'tags'), before)
  })
})
