/** Injection: text of a client reaches SQL only as a bound value, and all identifiers are names of the registry. */
import type { Api, ApiRequest } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { Statement } from '../support/statements.ts'
import { eachDatabase } from '../support/suite.ts'
import { textOperators } from '../support/text-operators.ts'
import { apiOf, createWorld, fillWorld, full, modelsOf, viewer } from './world.ts'

/** Texts with a special meaning for some database, parser or JavaScript object. */
const payloads = [
  `x'y`,
  `x"y`,
  'x`y',
  `x';drop table books;--`,
  `x") or 1=1 --`,
  'x`.`y',
  'x/*y*/',
  'x--y',
  'x\\y',
  `x\\'y`,
  'x%y_z',
  'x:y',
  'x?y',
  'x$1y',
  'x@@version',
  'pg_sleep',
  'sleep',
  'load_extension',
  'information_schema.tables',
  'sqlite_master',
  'title as x',
  'title,price',
  'title desc',
  '*',
  '1',
  'rowid',
  'ctid',
  'oid',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'x\u2019y',
  '\u{1F98A}',
  'a'.repeat(300),
]

/** Every position of a request where a name may stand. */
const names: Readonly<Record<string, (text: string) => string>> = {
  'a filtered field': (x) => `/api/books?${x}__eq=1`,
  'an operator': (x) => `/api/books?title__${x}=1`,
  'a table': (x) => `/api/books?${x}.title__eq=1`,
  'a column of a join': (x) => `/api/books?join=author&author.${x}__eq=1`,
  'a join': (x) => `/api/books?join=${x}`,
  'a join path': (x) => `/api/books?join=author.${x}`,
  'a join type': (x) => `/api/books?join=author&join_type=${x}`,
  fields: (x) => `/api/books?fields=${x}`,
  'fields of a join': (x) => `/api/books?join=author&fields=author.${x}`,
  order_by: (x) => `/api/books?order_by=${x}`,
  'descending order_by': (x) => `/api/books?order_by=-${x}`,
  'a suffix of order_by': (x) => `/api/books?order_by=title.${x}`,
  groupby: (x) => `/api/books?groupby=${x}`,
  'a function of groupby': (x) => `/api/books?groupby=${x}(published)`,
  'a bucketed column': (x) => `/api/books?groupby=year(${x})`,
  'a label of groupby': (x) => `/api/books?groupby=title|${x}`,
  'an aggregated column': (x) => `/api/books?${x}__sum=1`,
  'an aggregate function': (x) => `/api/books?aggregate=price__${x}`,
  'an aggregate label': (x) => `/api/books?price|${x}__sum=1`,
  'a relation filter': (x) => `/api/books?exists(${x})`,
  'a column of a relation filter': (x) => `/api/books?exists(author.${x}__eq=1)`,
  'a relation option': (x) => `/api/authors?dump=json&${x}.limit=1`,
  'an order in a relation': (x) => `/api/authors?dump=json&books.order_by=${x}`,
  'a column in a relation': (x) => `/api/authors?dump=json&books[${x}__eq=1]`,
  'a dump mode': (x) => `/api/books?dump=${x}`,
  'a parameter': (x) => `/api/books?${x}=1`,
  'a resource': (x) => `/api/${x}`,
  'a relation route': (x) => `/api/books/1/${x}`,
}

/** Every position of a request where a value may stand. */
const values: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(
    ['eq', 'ne', 'lt', 'ge', ...textOperators].map((operator) => [
      operator,
      (x: string) => `/api/books?title__${operator}=${x}`,
    ]),
  ),
  'a list': (x) => `/api/books?title__in=(${x},Arrows)`,
  'a range': (x) => `/api/books?title__between=(${x},${x})`,
  'an or group': (x) => `/api/books?or[title__eq=${x},id__eq=1]`,
  'a joined value': (x) => `/api/books?join=author&author.name__ilike=${x}`,
  'a value of a relation filter': (x) => `/api/books?exists(author.name__eq=${x})`,
  'a value in a relation': (x) => `/api/authors?dump=json&books[title__like=${x}]`,
  'a number': (x) => `/api/books?price__eq=${x}`,
  'an integer': (x) => `/api/books?id__eq=${x}`,
  'a date': (x) => `/api/books?published__ge=${x}`,
  'a null test': (x) => `/api/books?title__isnull=${x}`,
  having: (x) => `/api/books?groupby=author_id&title|t__max=1&t__eq=${x}`,
  limit: (x) => `/api/books?limit=${x}`,
  page: (x) => `/api/books?page=${x}`,
  after: (x) => `/api/books?after=${x}`,
  count: (x) => `/api/books?count=${x}`,
  include_deleted: (x) => `/api/books?include_deleted=${x}`,
  'a limit in a relation': (x) => `/api/authors?dump=json&books.limit=${x}`,
  'a key': (x) => `/api/books/${x}`,
  'a key of a parent': (x) => `/api/authors/${x}/books`,
}

/** A text that only the client has. */
const marker = 'zq7mark'

/** Requests that are accepted, for each kind of text of a client: `marker` is in a label, a value, a header, a key or the mount. */
const accepted: Readonly<
  Record<string, readonly (Omit<ApiRequest, 'method'> & { readonly method?: string })[]>
> = {
  'labels of groups and aggregates': [
    `groupby=owner_id|${marker}`,
    `groupby=year(published)|${marker}`,
    `price|${marker}__sum=1`,
    `id|${marker}__count=1&groupby=owner_id`,
    `groupby=owner_id&id|${marker}__count=1&order_by=-${marker}&fields=owner_id,${marker}`,
    `groupby=owner_id&title|${marker}__max=1&${marker}__ne=x&order_by=${marker}`,
    `groupby=owner_id|${marker}&price|${marker}_a__avg=1&price|${marker}_b__min=1&or[${marker}_a__ge=0,${marker}_b__ge=0]`,
    `join=author&groupby=author.name|${marker}&id|${marker}_n__count=1`,
    `aggregate=price|${marker}__sum`,
  ].map((query) => ({ url: `/api/books?${query}` })),
  'values of filters': [
    `title__eq=${marker}`,
    `title__in=(${marker},x)`,
    `title__ilike=${marker}`,
    `or[title__eq=${marker},title__startswith=${marker}]`,
    `exists(author.name__eq=${marker})`,
    `join=author&author.name__like=${marker}`,
    `groupby=title&title__ne=${marker}`,
  ].map((query) => ({ url: `/api/books?${query}` })),
  'options of relations': [
    { url: `/api/authors?dump=json&books[title__ne=${marker}]` },
    { url: `/api/authors?dump=json&books[title__ne=${marker}]&books.limit=2&books.fields=title` },
  ],
  headers: [
    {
      url: '/api/books',
      headers: {
        'x-request-id': marker,
        'user-agent': marker,
        'if-none-match': `"${marker}"`,
        'accept-language': marker,
        prefer: `return=${marker}`,
        cookie: `a=${marker}`,
      },
    },
    { url: '/api/books/1', headers: { 'if-none-match': `"${marker}"`, 'x-request-id': marker } },
  ],
  'the mount': [
    { url: '/api/books', baseUrl: `/${marker}` },
    { url: '/api/books/1', baseUrl: `/${marker}` },
    { url: '/api/authors?dump=json', baseUrl: `/${marker}` },
    { url: '/api/authors?paging=cursor', baseUrl: `/${marker}` },
  ],
  writes: [
    { method: 'PATCH', url: '/api/books/1', body: { title: marker } },
    {
      method: 'PATCH',
      url: '/api/books/1',
      body: { title: `${marker} 2` },
      headers: { 'x-request-id': marker },
    },
  ],
}

/** The quoted identifiers of a statement. */
const identifiers = ({ sql }: Statement): readonly string[] =>
  [...sql.matchAll(/"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g)].map((match) => match[1] ?? match[2] ?? '')

/** The identifiers that the registry and the compiler use. */
function known(): ReadonlySet<string> {
  const own = [
    'junction of',
    'partner of',
    'ranked',
    'keys',
    'rank_in_parent',
    'counted',
    'total',
    'total of all',
    'n',
    't',
  ]
  const words = modelsOf(full).flatMap((model) => [
    model.table,
    ...Object.keys(model.columns),
    ...Object.keys(model.relations),
  ])
  return new Set([...own, ...words, 'taggings'])
}

const isOwn = (name: string, words: ReadonlySet<string>): boolean =>
  words.has(name) ||
  /^(?:.*_\d+|(?:key|link|parent|place|record)_.*|value \d+|taggings links|.* links)$/.test(name) ||
  // Collations.
  /^(?:C|binary|utf8mb4_\w+|und-x-icu)$/.test(name)

eachDatabase('a string from a client', (test, db) => {
  let api: Api
  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
    api = apiOf(db, full, viewer)
    await api.ready
  })

  for (const [position, at] of Object.entries(names)) {
    test(`is never an identifier: ${position}`, () => tried(db, api, at, true))
  }
  for (const [position, at] of Object.entries(values)) {
    test(`is never SQL: ${position}`, () => tried(db, api, at, false))
  }

  test('does not change the statement: values of the same kind give the same SQL', async () => {
    for (const at of [
      values.eq,
      values.ilike,
      values['a list'],
      values['an or group'],
      values['a value of a relation filter'],
      values['a value in a relation'],
    ]) {
      const texts = new Set<string>()
      for (const payload of payloads.filter((text) => text.length < 200)) {
        const url = (at as (text: string) => string)(
          `"${encodeURIComponent(payload.replace(/["\\]/g, ''))}"`,
        )
        const { statements } = await db.capture(() => api.handle({ method: 'GET', url }))
        // If no row is found, no embeds are read; the first statement contains the value.
        texts.add(statements[0]?.sql ?? '')
      }
      ok(texts.size <= 2, [...texts].join('\n'))
    }
  })

  for (const [position, requests] of Object.entries(accepted)) {
    test(`is in no statement, though it is accepted: ${position}`, async () => {
      for (const request of [...requests, ...requests]) {
        const marked = { method: 'GET', ...request }
        const { result, statements } = await db.capture(() => api.handle(marked))
        const body = JSON.stringify(result.body)
        ok(result.status < 300, `${request.url} ${result.status} ${body}`)
        ok(statements.length > 0)
        for (const { sql } of statements) ok(!sql.toLowerCase().includes(marker), sql)
      }
    })
  }

  test('is a label of the response, with the values of its groups', async () => {
    const url = `/api/books?groupby=owner_id|${marker}&id|${marker}_n__count=1&order_by=-${marker}_n`
    const { body } = await api.handle({ method: 'GET', url })
    ok(new RegExp(`^\\[{"${marker}":\\d+,"${marker}_n":\\d+}`).test(JSON.stringify(body?.value)))
  })
})

/** Puts every payload at one position, raw and encoded. Requires that the service does not fail, and that SQL contains none of the text. */
async function tried(
  db: TestDatabase,
  api: Api,
  at: (text: string) => string,
  isName: boolean,
): Promise<void> {
  const words = known()
  for (const payload of payloads) {
    for (const text of [payload, encodeURIComponent(payload)]) {
      const url = at(text)
      const { result, statements } = await db.capture(() => api.handle({ method: 'GET', url }))
      ok(result.status < 500, `${result.status} ${url}`)
      for (const statement of statements) {
        const foreign = identifiers(statement).filter((name) => !isOwn(name, words))
        equal(foreign, [], `${url}\n${statement.sql}`)
        if (/^x\W/u.test(payload)) ok(!statement.sql.includes(payload), statement.sql)
      }
      const harmless = ['1', 'title,price', '*'].includes(payload)
      if (isName && !harmless && payload.startsWith('x')) {
        ok(result.status === 400 || result.status === 404, `${result.status} ${url}`)
      }
    }
  }
}
