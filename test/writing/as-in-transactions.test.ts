/**
 * Any write: the response and the stored rows are the same from an API that may write with one statement as from one that
 * always uses transactions.
 */
import { type AnyModel, type Api, type ApiConfig, defineModel } from '@model-api/core'
import fc from 'fast-check'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { batches, check, shareOf } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { library } from './models.ts'

const runs = { sqlite: 75, postgres: 50, mysql: 50 }

const config: ApiConfig = {
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOW_JOIN: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

/** A fixed value instead of a generated one, which would differ between the two APIs. */
const fixed = { type: 'uuid', default: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01' }

/** The library with separate table names; a policy hides the country `XX`. */
const libraryOf = (prefix: string): readonly AnyModel[] =>
  library.map(({ name, table, columns, relations, meta }) => {
    const own = Object.entries(relations).map(([key, relation]) => [
      key,
      'through' in relation ? { ...relation, through: `${prefix}${relation.through}` } : relation,
    ])
    const policy = {
      // biome-ignore lint/suspicious/noExplicitAny: the models here are data
      scope_query: (query: any) => query.where('code', '!=', 'XX'),
    }
    return defineModel(name, {
      table: `${prefix}${table}`,
      columns: name === 'Book' ? { ...columns, code: fixed } : columns,
      relations: Object.fromEntries(own),
      meta: { ...meta, ...(name === 'Country' ? { access_policy: policy } : {}) },
    } as never) as AnyModel
  })

const text = fc.constantFrom('a', 'b', 'Ä', '😀', '', ' ', 'x'.repeat(50), "'")
const key = fc.integer({ min: 1, max: 8 })
const code = fc.constantFrom('AA', 'BB', 'XX')
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })

/** Bodies by endpoint; some values are invalid, some violate a rule of the database. */
const bodies = {
  authors: {
    name: text,
    email: orNull(fc.constantFrom('a@b.cd', 'e@f.gh', 'no address')),
    country_code: orNull(code),
    shelf: text,
    deleted: fc.boolean(),
    country: fc.constantFrom(null, { code: 'AA' }, '/api/countries/AA'),
  },
  books: {
    title: text,
    price: orNull(fc.constantFrom('12.5', 3, '1.234', '123456789.00')),
    rating: orNull(fc.double({ noNaN: true, noDefaultInfinity: true })),
    sold: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    in_stock: fc.boolean(),
    kind: fc.constantFrom('novel', 'poems', 'essay'),
    details: orNull(fc.jsonValue({ maxDepth: 2 })),
    cover: orNull(fc.base64String({ maxLength: 8 })),
    since: orNull(fc.constantFrom('2020-01-01', '2024-02-29', '2023-02-29')),
    until: orNull(fc.constantFrom('2021-01-01', '2019-01-01')),
    read_at: orNull(fc.constantFrom('2024-05-14T10:30:00.123456Z', '2024-05-14T10:30:00+02:00')),
    opens: orNull(fc.constantFrom('09:30', '23:59:59.9')),
    author_id: orNull(key),
    tags: fc.constantFrom([], [{ name: 'new' }], [{ id: 1 }]),
  },
  tags: { name: text, id: key },
  countries: { code, title: text },
  profiles: { author_id: key, motto: text },
  copies: { branch: fc.constantFrom('x', 'y'), number: key, book_id: key, note: orNull(text) },
} as const satisfies Record<string, Record<string, fc.Arbitrary<unknown>>>

type Endpoint = keyof typeof bodies
const endpoint = fc.constantFrom(...(Object.keys(bodies) as Endpoint[]))
/** A few of the fields, so that most bodies are valid. */
const bodyOf = (name: Endpoint): fc.Arbitrary<object> => {
  const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = bodies[name]
  const names = Object.keys(fields)
  return fc
    .subarray(names, { maxLength: Math.min(3, names.length) })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((one) => [one, fields[one] as never]))))
}

const needed: Readonly<Record<Endpoint, object>> = {
  authors: { name: 'Ann' },
  books: { title: 'Book' },
  tags: { name: 'tag' },
  countries: { code: 'AA', title: 'A' },
  profiles: { author_id: 1, motto: 'm' },
  copies: { branch: 'x', number: 1, book_id: 1 },
}

const itemOf = (name: Endpoint): fc.Arbitrary<string> => {
  if (name === 'countries') return code.map((one) => `countries/${one}`)
  if (name === 'copies') return key.map((one) => `copies/x,${one}`)
  return key.map((one) => `${name}/${one}`)
}

const query = fc.constantFrom(
  '',
  '',
  '',
  '?dump=url',
  '?dump=json',
  '?dump=dynamic',
  '?include_deleted=true',
  '?dump_relationships=false',
  '?cascade_delete=1',
)

interface Write {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const write: fc.Arbitrary<Write> = endpoint.chain((name) => {
  const whole = bodyOf(name).map((body) => ({ ...needed[name], ...body }))
  const post = fc.record({
    method: fc.constant('POST'),
    url: query.map((asked) => `/api/${name}${asked}`),
    body: fc.oneof(
      { weight: 6, arbitrary: whole },
      { weight: 1, arbitrary: whole.map((one) => [one]) },
    ),
  })
  const change = fc.record(
    {
      method: fc.constantFrom('PATCH', 'PATCH', 'PUT'),
      url: fc.tuple(itemOf(name), query).map(([item, asked]) => `/api/${item}${asked}`),
      body: bodyOf(name),
      headers: fc.constantFrom({ 'if-match': '*' }, { 'if-match': '"stale"' }),
    },
    { requiredKeys: ['method', 'url', 'body'] },
  )
  const remove = fc.record({
    method: fc.constant('DELETE'),
    url: fc.tuple(itemOf(name), query).map(([item, asked]) => `/api/${item}${asked}`),
  })
  return fc.oneof(
    { weight: 5, arbitrary: post },
    { weight: 5, arbitrary: change },
    { weight: 1, arbitrary: remove },
  )
})

async function answerOf(api: Api, { method, url, ...rest }: Write): Promise<string> {
  const answer = await send(api, method, url, rest)
  return `${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`
}

eachDatabase('single-statement writes compared with transactions', (test, db) => {
  const apis: Api[] = []
  test.before(async () => {
    for (const [prefix, options] of [
      ['', {}],
      ['plain_', { dialect: plainDialect(db.kysely) }],
    ] as const) {
      const models = libraryOf(prefix)
      await createTables(db, models)
      const api = testApi(db, models, config, options)
      apis.push(api)
      for (const one of ['AA', 'XX']) {
        await db.kysely.insertInto(`${prefix}countries`).values({ code: one, title: one }).execute()
      }
      for (const title of ['first', 'second']) {
        await send(api, 'POST', '/api/books', { body: { title, author: { name: title } } })
      }
    }
  })

  const generated = library.filter(({ columns: { id } }) => id !== undefined && 'generated' in id)
  const tables = ['', 'plain_'].flatMap((prefix) => generated.map(({ table }) => prefix + table))

  /**
   * Sets the next generated keys of the tables of both APIs to the same value: a statement that is refused and then repeated in
   * a transaction has used two.
   */
  async function alignKeys(): Promise<void> {
    if (db.name === 'sqlite') return
    const statements = tables.map((table) =>
      db.name === 'postgres'
        ? `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}), false)`
        : `alter table ${table} auto_increment = 1`,
    )
    await db.execScript(statements.join(';'))
  }

  /** How many writes changed something without a transaction, of either API. */
  const alone = { quick: 0, plain: 0 }
  const sent = async (which: keyof typeof alone, each: Write): Promise<string> => {
    const api = apis[which === 'quick' ? 0 : 1] as Api
    const { result, statements } = await db.capture(() => answerOf(api, each))
    const texts = statements.map(({ sql }) => sql.replace(/^\/\*.*?\*\/ /, ''))
    const writes = texts.some((text) => /^(insert|update|delete)/.test(text))
    if (writes && !texts.some((text) => /^(begin|start)/.test(text))) alone[which]++
    return result
  }

  batches(test, 'answer and store the same', runs[db.name], (parameters) =>
    check(fc.array(write, { minLength: 1, maxLength: 8 }), parameters, async (writes) => {
      for (const each of writes) {
        const [result, other] = [await sent('quick', each), await sent('plain', each)]
        if (result !== other) return `${JSON.stringify(each)}\n${result}\nbut\n${other}`
        if (each.method === 'POST' && !result.startsWith('2')) await alignKeys()
      }
      const [quick, plain] = apis as [Api, Api]
      for (const name of Object.keys(bodies)) {
        const url = `/api/${name}?include_deleted=true&dump=json&limit=100`
        const [left, right] = [await get(quick, url), await get(plain, url)]
        if (left.text !== right.text) return `${url}\n${left.text}\nbut\n${right.text}`
      }
      return undefined
    }),
  )

  test('many writes run without a transaction, and none does where single statements are disabled', () => {
    ok(alone.quick > shareOf(runs[db.name]) / 3, `only ${alone.quick} of them`)
    equal(alone.plain, 0)
  })
})
