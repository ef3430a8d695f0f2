/** Declared paths into json columns: filters, orders, groups, aggregates, fields and cursors, the same on every database. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { sqlite } from '../../packages/core/src/dialect/sqlite/sqlite-dialect.ts'
import { buildRegistry } from '../../packages/core/src/model/registry/registry.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase, suite } from '../support/suite.ts'

const Person = defineModel('Person', {
  table: 'people',
  columns: {
    id: { type: 'integer', primaryKey: true },
    team_id: { type: 'integer', nullable: true },
    meta: {
      type: 'json',
      nullable: true,
      column: 'meta_data',
      json: {
        'address.city': 'text',
        'stats.score': 'integer',
        'stats.ratio': 'float',
        active: 'boolean',
        'first-name': 'text',
      },
    },
    plain: { type: 'json', nullable: true },
  },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: {
    pagination_size_default: 50,
    allow_groupby: true,
    allow_aggregation: true,
    allow_join: true,
  },
})
const Team = defineModel('Team', {
  table: 'teams',
  columns: {
    id: { type: 'integer', primaryKey: true },
    info: { type: 'json', json: { 'size.max': 'integer', name: 'text' } },
  },
  relations: { people: hasMany('Person', 'team_id') },
  meta: { allow_join: true },
})

const city = (value: unknown): object => ({ address: { city: value } })
const score = (value: unknown): object => ({ stats: { score: value } })

/** The documents by id; a string that begins with `{` is the raw text of a document. */
const documents: readonly (unknown | null)[] = [
  null,
  {
    address: { city: 'Berlin' },
    stats: { score: 7, ratio: 0.5 },
    active: true,
    'first-name': 'Ann',
  },
  { address: { city: 'berlin' }, stats: { score: -3, ratio: -2 }, active: false },
  // A missing member, null, and values of other types all count as null.
  {},
  city(null),
  { address: { city: 12 }, stats: { score: '7', ratio: '0.5' }, active: 'true' },
  { address: { city: ['Berlin'] }, stats: { score: true, ratio: { n: 1 } }, active: 1 },
  { address: [{ city: 'Berlin' }], stats: 'score', active: null },
  [{ address: { city: 'Berlin' } }],
  'Berlin',
  7,
  // Texts with every character that JSON escapes.
  city('a "quoted" \\ back\\u0041slash / \b\f\n\r\t é 😀 \u2028'),
  city(''),
  city('Berlin '),
  city('Ärger'),
  // Numbers: integers in every spelling, fractions, and numbers that are too large.
  score(9007199254740991),
  score(-9007199254740991),
  '{"stats":{"score":9007199254740993,"ratio":12.0}}',
  '{"stats":{"score":2.0,"ratio":1e3}}',
  '{"stats":{"score":2.5,"ratio":-0.0}}',
  '{"stats":{"score":1e2,"ratio":123456789012345678901234567890}}',
  { stats: { score: 0, ratio: 0.1 } },
  { stats: { score: 7, ratio: 1e300 }, active: true, address: { city: 'Berlin' } },
]

const textOf = (document: unknown): string | null =>
  document === null
    ? null
    : typeof document === 'string' && document.startsWith('{')
      ? document
      : JSON.stringify(document)

const ids = (value: readonly { readonly id: number }[]): readonly number[] =>
  value.map(({ id }) => id)

eachDatabase('paths into json columns', (test, db) => {
  const api = testApi(db, [Person, Team])
  const url = (query: string): string => `/api/people?${query}`
  const found = async (query: string): Promise<readonly number[]> =>
    ids(await read(api, url(`${query}&fields=id&order_by=id`)))

  test.before(async () => {
    const json = db.name === 'postgres' ? 'jsonb' : db.name === 'mysql' ? 'json' : 'text'
    await db.execScript(`
      create table people (id integer primary key, team_id integer, meta_data ${json}, plain ${json});
      create table teams (id integer primary key, info ${json} not null);`)
    for (const [i, document] of documents.entries()) {
      await db.kysely
        .insertInto('people')
        .values({ id: i, team_id: (i % 2) + 1, meta_data: textOf(document), plain: null })
        .execute()
    }
    for (const id of [1, 2]) {
      const info = JSON.stringify({ size: { max: 10 * id }, name: `Team ${id}` })
      await db.kysely.insertInto('teams').values({ id, info }).execute()
    }
  })

  test('a path gives the value if it has the declared type, otherwise null', async () => {
    const rows = await read(
      api,
      url(
        'fields=id,meta.address.city,meta.stats.score,meta.stats.ratio,meta.active,meta.first-name&order_by=id',
      ),
    )
    const nothing = {
      'meta.address.city': null,
      'meta.stats.score': null,
      'meta.stats.ratio': null,
      'meta.active': null,
      'meta.first-name': null,
    }
    const values: Readonly<Record<number, object>> = {
      1: {
        'meta.address.city': 'Berlin',
        'meta.stats.score': 7,
        'meta.stats.ratio': 0.5,
        'meta.active': true,
        'meta.first-name': 'Ann',
      },
      2: {
        'meta.address.city': 'berlin',
        'meta.stats.score': -3,
        'meta.stats.ratio': -2,
        'meta.active': false,
      },
      11: { 'meta.address.city': 'a "quoted" \\ back\\u0041slash / \b\f\n\r\t é 😀 \u2028' },
      12: { 'meta.address.city': '' },
      13: { 'meta.address.city': 'Berlin ' },
      14: { 'meta.address.city': 'Ärger' },
      15: { 'meta.stats.score': 9007199254740991 },
      16: { 'meta.stats.score': -9007199254740991 },
      17: { 'meta.stats.ratio': 12 },
      18: { 'meta.stats.score': 2, 'meta.stats.ratio': 1000 },
      19: { 'meta.stats.ratio': 0 },
      20: { 'meta.stats.score': 100, 'meta.stats.ratio': 123456789012345680000000000000 },
      21: { 'meta.stats.score': 0, 'meta.stats.ratio': 0.1 },
      22: {
        'meta.address.city': 'Berlin',
        'meta.stats.score': 7,
        'meta.stats.ratio': 1e300,
        'meta.active': true,
      },
    }
    equal(
      rows,
      documents.map((_, id) => ({ id, ...nothing, ...values[id] })),
    )
  })

  test('a path is filtered by the operators of its type', async () => {
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['meta.address.city__eq=Berlin', [1, 22]],
      ['meta.address.city__ne=Berlin', [2, 11, 12, 13, 14]],
      ['meta.address.city__in=(Berlin,berlin)', [1, 2, 22]],
      ['meta.address.city__in=(a,b,c,d,e,f,g,h,i,Berlin)', [1, 22]],
      ['meta.address.city__nin=(Berlin,berlin)', [11, 12, 13, 14]],
      ['meta.address.city__like=erl', [1, 2, 13, 22]],
      ['meta.address.city__ilike=BERLIN', [1, 2, 13, 22]],
      ['meta.address.city__ilike=%C3%A4RG', [14]],
      ['meta.address.city__nlike=erl', [11, 12, 14]],
      ['meta.address.city__startswith=Ber', [1, 13, 22]],
      ['meta.address.city__istartswith=ber', [1, 2, 13, 22]],
      ['meta.address.city__endswith=lin', [1, 2, 22]],
      ['meta.address.city__ge=a', [2, 11, 14]],
      ['meta.address.city__between=(B,C)', [1, 13, 22]],
      ['meta.address.city__isnull=false', [1, 2, 11, 12, 13, 14, 22]],
      ['meta.address.city__eq=', [12]],
      [
        `meta.address.city__eq=${encodeURIComponent('a "quoted" \\ back\\u0041slash / \b\f\n\r\t é 😀 \u2028')}`,
        [11],
      ],
      ['meta.stats.score__eq=7', [1, 22]],
      ['meta.stats.score__eq=2', [18]],
      ['meta.stats.score__ge=100', [15, 20]],
      ['meta.stats.score__lt=0', [2, 16]],
      ['meta.stats.score__in=(7,0)', [1, 21, 22]],
      ['meta.stats.score__between=(0,7)', [1, 18, 21, 22]],
      ['meta.stats.score__isnull=false', [1, 2, 15, 16, 18, 20, 21, 22]],
      ['meta.stats.ratio__eq=0.1', [21]],
      ['meta.stats.ratio__gt=999.5', [18, 20, 22]],
      ['meta.stats.ratio__in=(0.5,0,12)', [1, 17, 19]],
      ['meta.active__eq=true', [1, 22]],
      ['meta.active__ne=true', [2]],
      ['meta.active__in=(true,false)', [1, 2, 22]],
      ['meta.first-name__eq=Ann', [1]],
      ['or[meta.stats.score__eq=0,meta.active__eq=false]', [2, 21]],
      ['not[meta.address.city__eq=Berlin]', [2, 11, 12, 13, 14]],
    ]
    for (const [query, expected] of cases) equal(await found(query), expected, query)
  })

  test('rows are ordered by a path, nulls as everywhere', async () => {
    const known = 'meta.address.city__isnull=false'
    const by = async (order: string, where = known): Promise<readonly number[]> =>
      ids(await read(api, url(`${where}&order_by=${order}`)))
    equal(await by('meta.address.city'), [12, 1, 22, 13, 11, 2, 14])
    equal(await by('-meta.address.city,-id'), [14, 2, 11, 13, 22, 1, 12])
    const scored = 'id__in=(0,1,2,15,16,18,20,21)'
    equal(await by('meta.stats.score', scored), [16, 2, 21, 18, 1, 20, 15, 0])
    equal(await by('-meta.stats.score', scored), [0, 15, 20, 1, 18, 21, 2, 16])
    equal(await by('-meta.stats.score.nullslast', scored), [15, 20, 1, 18, 21, 2, 16, 0])
    equal(
      await by('meta.stats.ratio', 'id__in=(0,1,2,17,18,19,20,21,22)'),
      [2, 19, 21, 1, 17, 18, 20, 22, 0],
    )
    equal(await by('meta.active.nullsfirst', 'id__in=(0,1,2)'), [0, 2, 1])
  })

  test('cursors follow the order of a path, in both directions', async () => {
    for (const order of [
      'meta.address.city',
      '-meta.address.city',
      'meta.stats.score',
      '-meta.stats.score.nullslast',
      'meta.stats.ratio',
      'meta.active',
    ]) {
      for (const fields of ['', '&fields=id']) {
        const whole = ids(await read(api, url(`order_by=${order}`)))
        let next = url(`paging=cursor&limit=4&order_by=${order}${fields}`)
        const seen: number[] = []
        let last = ''
        while (next !== '') {
          const page = await get(api, next)
          equal(page.status, 200, page.text)
          seen.push(...ids(page.value))
          last = page.body.previous_url ?? last
          next = page.body.next_url ?? ''
        }
        equal(seen, whole, `${order}${fields}`)
        const before = await get(api, last)
        equal(ids(before.value), whole.slice(-7, -3), `${order}${fields} backwards`)
      }
    }
  })

  test('groups and aggregates', async () => {
    const grouped = await read(
      api,
      url(
        'groupby=meta.address.city&id|n__count=1&order_by=-n,meta.address.city&meta.stats.score|best__max=1',
      ),
    )
    equal(grouped.slice(0, 4), [
      { 'meta.address.city': null, n: 16, best: 9007199254740991 },
      { 'meta.address.city': 'Berlin', n: 2, best: 7 },
      { 'meta.address.city': '', n: 1, best: null },
      { 'meta.address.city': 'Berlin ', n: 1, best: null },
    ])
    equal(await read(api, url('groupby=meta.active&id|n__count=1&order_by=meta.active')), [
      { 'meta.active': false, n: 1 },
      { 'meta.active': true, n: 2 },
      { 'meta.active': null, n: 20 },
    ])
    equal(
      await read(
        api,
        url('groupby=meta.stats.score&meta.stats.score__between=(0,9)&order_by=-meta.stats.score'),
      ),
      [{ 'meta.stats.score': 7 }, { 'meta.stats.score': 2 }, { 'meta.stats.score': 0 }],
    )
    const small = 'meta.stats.score__between=(-10,200)'
    equal(
      await read(
        api,
        url(
          `${small}&aggregate=meta.stats.score__sum,meta.stats.score__avg,meta.stats.score__min,meta.stats.score__count,meta.active|yes__count,meta.address.city|last__max`,
        ),
      ),
      [
        {
          score_sum: 113,
          score_avg: 113 / 6,
          score_min: -3,
          score_count: 6,
          yes: 3,
          last: 'berlin',
        },
      ],
    )
    equal(
      await read(api, url('id__in=(1,2,21)&meta.stats.ratio|r__sum=1&meta.stats.ratio|top__max=1')),
      [{ r: -1.4, top: 0.5 }],
    )
    equal(
      await read(
        api,
        url('groupby=meta.address.city&meta.stats.score|s__sum=1&s__gt=7&order_by=s'),
      ),
      [{ 'meta.address.city': null, s: 102 }]
        .concat([{ 'meta.address.city': 'Berlin', s: 14 }] as never)
        .reverse(),
    )
  })

  test('pages and counts', async () => {
    const answer = await get(
      api,
      url('meta.address.city__ilike=berlin&limit=2&page=2&order_by=-meta.stats.score'),
    )
    equal([answer.total, ids(answer.value)], [4, [22, 2]])
  })

  test('paths of joined rows, of related rows, and beside whole records', async () => {
    equal(
      await read(
        api,
        url(
          'join=team&team.info.size.max__eq=10&meta.active__eq=true&fields=id,team.info.name,team.info.size.max',
        ),
      ),
      [{ id: 22, 'info.name': 'Team 1', 'info.size.max': 10 }],
    )
    equal(
      ids(
        await read(api, '/api/teams?exists(people.meta.first-name__eq=Ann,meta.stats.score__gt=1)'),
      ),
      [2],
    )
    equal(
      ids(
        await read(api, '/api/teams?exists(people.meta.first-name__eq=Ann,meta.stats.score__gt=7)'),
      ),
      [],
    )
    equal(ids(await read(api, '/api/teams?missing(people.meta.address.city__eq=berlin)')), [2])
    const [one] = await read(
      api,
      '/api/teams?id__eq=2&dump=json&people[meta.active__eq=true]&people.fields=id,meta.address.city',
    )
    equal(one.people, [{ id: 1, 'meta.address.city': 'Berlin' }])
    equal(
      ids(
        (
          await read(
            api,
            '/api/teams/1?dump=json&people.order_by=-meta.stats.score.nullslast&people.limit=3',
          )
        ).people,
      ),
      [20, 22, 18],
    )
    const [whole] = await read(api, url('meta.first-name__eq=Ann&order_by=meta.address.city'))
    equal(whole.meta, documents[1])
    equal(Object.keys(whole), ['id', 'team_id', 'meta', 'plain', 'team'])
    equal(await read(api, '/api/people/22?fields=meta.stats.score'), { 'meta.stats.score': 7 })
  })

  test('bulk changes take paths as conditions', async () => {
    const changing = testApi(db, [Person, Team], { API_ALLOW_BULK: true })
    const body = { body: { plain: { a: 1 } } }
    const answer = await send(changing, 'PATCH', url('meta.first-name__eq=Ann'), body)
    equal([answer.status, ids(answer.value)], [200, [1]], answer.text)
    equal(await found('plain__isnull=false'), [1])
  })

  test('unsupported uses of a path are 400 with the reason', async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['meta.adress.city__eq=a', 'Did you mean "meta.address.city"?'],
      [
        'meta.other__eq=a',
        'Its model declares these paths: meta.address.city, meta.stats.score, meta.stats.ratio, meta.active, meta.first-name.',
      ],
      ['plain.a__eq=1', 'Its model declares no paths into "plain".'],
      ['meta.address__isnull=true', 'Unknown column "meta.address" on people.'],
      ['meta.stats.score__like=7', 'integer'],
      ['meta.stats.score__eq=x', 'a whole number'],
      ['meta.active__gt=true', 'boolean'],
      ['meta__eq=1', 'json'],
      ['order_by=meta', 'json'],
      ['meta.address.city__sum=1', 'text'],
      ['fields=meta.nothing', 'Unknown column'],
      ['groupby=year(meta.address.city)', 'It takes a date or a datetime.'],
    ]
    for (const [query, words] of cases) {
      const answer = await get(api, url(query))
      equal(answer.status, 400, `${query} ${answer.text}`)
      ok(
        JSON.stringify(answer.errors).replaceAll('\\"', '"').includes(words),
        `${query}: ${answer.text}`,
      )
    }
  })
})

eachDatabase('stored values that are unusual or invalid JSON', (test, db) => {
  const paths = { a: 'text', n: 'integer', f: 'float', b: 'boolean' } as const
  const Note = defineModel('Note', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      doc: { type: 'json', nullable: true, json: paths },
    },
    meta: { allow_groupby: true, allow_aggregation: true },
  })
  const api = testApi(db, [Note])
  const right = '{"a":"x","n":1,"f":0.5,"b":true}'
  const huge = '{"a":"x","n":1e400,"f":-1e400,"b":true}'
  const tiny = '{"a":"x","n":1e-400,"f":1e-400,"b":true}'
  const surrogates = '{"a":"\\ud83d\\ude00 \\\\u0000","n":1,"f":0.5,"b":true}'
  // PostgreSQL cannot read members of a `json` document that contains such an escape.
  const unreadable = ['{"a":"\\u0000","n":1}', '{"a":"\\ud83d","n":1}', '{"a":"\\ude00 x","n":1}']
  const kept = db.name === 'postgres' ? [huge, tiny, surrogates] : [huge, surrogates]
  const broken =
    db.name === 'postgres' ? unreadable : ['not json', '{"a":"x"', '', '{"a":"x"} {"n":1}']
  const documents = [right, ...kept, ...broken]

  test.before(async () => {
    const type = db.name === 'postgres' ? 'json' : db.name === 'mysql' ? 'longtext' : 'text'
    await db.execScript(`create table notes (id integer primary key, doc ${type})`)
    for (const [id, doc] of documents.entries()) {
      await db.kysely.insertInto('notes').values({ id, doc }).execute()
    }
  })

  test('no stored value makes a page fail', async () => {
    const names = Object.keys(paths).map((path) => `doc.${path}`)
    const rows = await read(api, `/api/notes?fields=id,${names}&order_by=id`)
    const shown = { 'doc.a': 'x', 'doc.n': 1, 'doc.f': 0.5, 'doc.b': true }
    const nothing = { 'doc.a': null, 'doc.n': null, 'doc.f': null, 'doc.b': null }
    equal(rows[0], { id: 0, ...shown })
    const known = documents.indexOf(surrogates)
    equal(rows[known], { id: known, ...shown, 'doc.a': '😀 \\u0000' })
    // MySQL treats a document with a number that a double cannot hold as invalid JSON, so its other paths are null there too.
    equal([rows[1]['doc.n'], rows[1]['doc.f']], [null, null])
    for (const row of rows.slice(1 + kept.length)) equal(row, { id: row.id, ...nothing })
    for (const name of names) {
      await read(api, `/api/notes?${name}__isnull=false&order_by=${name}`)
      const most = name === 'doc.b' ? '' : `&${name}|most__max=1`
      await read(api, `/api/notes?groupby=${name}&${name}|n__count=1${most}`)
      await read(api, `/api/notes?paging=cursor&limit=1&order_by=-${name}`)
    }
    equal(await read(api, '/api/notes?doc.n__sum=1&doc.f__avg=1&id__lt=1'), [
      { n_sum: 1, f_avg: 0.5 },
    ])
  })
})

suite('declarations of paths', (test) => {
  const start = (column: object, more: object = {}): string => {
    const model = defineModel('Thing', {
      columns: { id: { type: 'integer', primaryKey: true }, meta: column },
      meta: {},
      ...more,
    } as never)
    try {
      buildRegistry({ models: [model], dialect: sqlite })
      return 'started'
    } catch (error) {
      return (error as Error).message
    }
  }
  const json = (paths: unknown): object => ({ type: 'json', json: paths })

  test('mistakes are reported at start-up', () => {
    const cases: readonly (readonly [object, string])[] = [
      [json({ 'a.b': 'text', 'first-name': 'float' }), 'started'],
      [{ type: 'text', json: { a: 'text' } }, 'meta.json: only a column of type json can have it.'],
      [
        json({ a: 'string' }),
        'meta.json["a"]: expected one of text, integer, float, boolean. Did you mean "text"?',
      ],
      [json({ a: 'decimal' }), 'Did you mean "float"?'],
      [json({ a: 'txet' }), 'Did you mean "text"?'],
      [json({ a: {} }), 'expected one of text, integer, float, boolean.'],
      [json({ '': 'text' }), 'meta.json[""]: a path is the names of members joined by single dots'],
      [json({ 'a..b': 'text' }), 'joined by single dots'],
      [json({ '.a': 'text' }), 'joined by single dots'],
      [json({ 'tags.0': 'text' }), 'do not begin with a digit.'],
      [json({ "a'b": 'text' }), 'letters, digits, _ and -'],
      [json({ 'a b': 'text' }), 'letters, digits, _ and -'],
      [json({ 'a.__proto__.b': 'text' }), 'nothing can have this name.'],
      [json({ 'a.b__gt': 'text' }), 'cannot end in "__gt"'],
      [json({ 'a.nullsfirst': 'text' }), 'nothing can have this name'],
      [json('a'), 'meta.json: '],
      [
        { ...json({ a: 'text' }), hidden: true },
        'meta.json: the column is hidden, so that nobody can use its paths.',
      ],
    ]
    for (const [column, words] of cases) {
      const message = start(column)
      ok(message.includes(words), `${JSON.stringify(column)}: ${message}`)
    }
  })

  test('a column whose name reads as a relation cannot have paths', () => {
    const Part = defineModel('Part', {
      columns: { id: { type: 'integer', primaryKey: true }, thing_id: { type: 'integer' } },
      relations: { thing: belongsTo('Thing', 'thing_id') },
      meta: {},
    })
    const Thing = defineModel('Thing', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        part: { type: 'json', json: { size: 'integer' } },
      },
      relations: { pieces: hasMany('Part', 'thing_id') },
      meta: {},
    })
    throws(
      () => buildRegistry({ models: [Part, Thing], dialect: sqlite }),
      /models\.Thing\.columns\.part\.json: "part\." also leads along the relation "pieces" to Part\. Give the field another name/,
    )
  })

  test('a database without paths refuses them', () => {
    const { jsonValue: _, ...without } = sqlite
    const Thing = defineModel('Thing', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        meta: { type: 'json', json: { a: 'text' } },
      },
      meta: {},
    })
    throws(
      () => buildRegistry({ models: [Thing], dialect: { ...without, name: 'other' } }),
      /meta\.json: other has no paths into json columns; leave json out\./,
    )
  })
})

eachDatabase(
  'paths into text',
  (test, db) => {
    test('the schema check refuses a text column that may hold something else than JSON', async () => {
      await db.execScript('create table drafts (id integer primary key, one text, other text)')
      const json = { type: 'json', nullable: true } as const
      const Draft = defineModel('Draft', {
        columns: {
          id: { type: 'integer', primaryKey: true },
          one: { ...json, json: { a: 'text' } },
          other: json,
        },
        meta: {},
      })
      const differences = await testApi(db, [Draft]).schemaDifferences()
      equal(
        differences.map((difference) => [difference.kind, difference.column]),
        [['type', 'one']],
      )
    })
  },
  { only: 'postgres' },
)
