/** Columns of lists: PostgreSQL's arrays as JSON lists, with `contains` and `overlaps`; a start-up error on other databases. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { column, read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Post = defineModel('Post', {
  table: 'posts',
  columns: {
    id: { type: 'integer', primaryKey: true },
    tags: { type: 'list', items: 'string' },
    marks: { type: 'list', items: 'integer', nullable: true },
    totals: { type: 'list', items: 'bigint', nullable: true },
    prices: { type: 'list', items: 'decimal', precision: 8, scale: 2, nullable: true },
    ratios: { type: 'list', items: 'float', nullable: true },
    flags: { type: 'list', items: 'boolean', nullable: true },
    days: { type: 'list', items: 'date', nullable: true },
    moments: { type: 'list', items: 'datetime', nullable: true },
    opens: { type: 'list', items: 'time', nullable: true },
    codes: { type: 'list', items: 'uuid', nullable: true },
    moods: { type: 'list', items: 'enum', enum: ['glad', 'sad'], nullable: true },
  },
  meta: {},
})

const all = {
  tags: ['red', 'a "b" \\c', '', 'NULL', '{x,y}', ' é🦉 '],
  marks: [1, null, 2147483647, -5],
  totals: ['9007199254740993', '-1'],
  prices: ['12.50', '0.00'],
  ratios: [0.1, -1e300],
  flags: [true, false, null],
  days: ['2024-02-29'],
  moments: ['2024-05-14T10:30:00.123Z'],
  opens: ['10:30:00'],
  codes: ['3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'],
  moods: ['sad', 'glad'],
}
const nothing = Object.fromEntries(Object.keys(all).map((name) => [name, null]))

eachDatabase('lists', (test, db) => {
  if (db.name !== 'postgres') {
    test('with a mistake are refused at start-up, with a suggestion', () => {
      let message = ''
      try {
        createApi({ db: db.kysely, models: [Post] })
      } catch (error) {
        message = String(error)
      }
      match(message, `models.Post.columns.tags: ${db.name} has no columns of lists.`)
      match(message, "Declare type: 'json'")
    })
    return
  }

  test.before(() =>
    db.execScript(`
      create type mood as enum ('glad', 'sad');
      create extension if not exists citext;
      create table posts (id int primary key, tags varchar(20)[] not null, marks int[], totals bigint[], prices numeric(8,2)[],
        ratios float8[], flags boolean[], days date[], moments timestamptz[], opens time[], codes uuid[], moods mood[]);
      create index posts_tags on posts using gin (tags);
      insert into posts (id, tags) values (2, '{}');
      insert into posts (id, tags, marks) values (3, '{red,blue}', '{7,8}'), (4, '{{a,b},{c,d}}', '{{1,2},{3,null}}');
      create domain numbers as int[];
      create table others (id int primary key, short smallint[], words varchar(10)[] not null default '{}', fixed char(5)[], names citext[],
        square int[][], addresses inet[], documents jsonb[], domain_list numbers, kinds mood[]);
      insert into others values (1, '{1}', '{a}', '{ab}', '{Ann,bob}', '{{1,2},{3,4}}', '{10.0.0.1}', array['{"a": 1}']::jsonb[], '{1,2}', '{sad}');`),
  )
  const api = testApi(db, [Post], { API_ALLOW_BULK: true })

  test('are written and read as JSON lists of their items', async () => {
    const made = await send(api, 'POST', '/api/posts', { body: { id: 1, ...all } })
    equal([made.status, made.value], [201, { id: 1, ...all }])
    equal(await read(api, '/api/posts/1'), { id: 1, ...all })
    equal((await read(api, '/api/posts?limit=2'))[0], { id: 1, ...all })
  })

  test('what was read may be sent back, an array of two dimensions too', async () => {
    for (const id of [1, 2, 3, 4]) {
      const stored = await read(api, `/api/posts/${id}`)
      const back = await send(api, 'PATCH', `/api/posts/${id}`, { body: stored })
      equal([back.status, back.value], [200, stored])
    }
    equal(await read(api, '/api/posts/4?fields=tags,marks'), {
      tags: [
        ['a', 'b'],
        ['c', 'd'],
      ],
      marks: [
        [1, 2],
        [3, null],
      ],
    })
    equal(await read(api, '/api/posts/2'), { id: 2, ...nothing, tags: [] })
  })

  test('contains requires all of the values, overlaps one of them', async () => {
    for (const [query, ids] of [
      ['tags__contains=(red)', [1, 3]],
      ['tags__contains=(red,blue)', [3]],
      ['tags__contains=()', [1, 2, 3, 4]],
      ['tags__overlaps=(blue,"NULL")', [1, 3]],
      ['tags__overlaps=()', []],
      ['tags__contains=("a \\"b\\" \\\\c")', [1]],
      ['tags__contains=("{x,y}")', [1]],
      ['tags__contains=("")', [1]],
      ['tags__contains=(Red)', []],
      ['marks__contains=(8)', [3]],
      ['marks__overlaps=(8,1)', [1, 3, 4]],
      ['marks__overlaps=(8,9007199254740991)', [3]],
      ['marks__contains=(9007199254740991)', []],
      ['not[marks__contains=(8)]', [1, 4]],
      ['totals__contains=(9007199254740993)', [1]],
      ['prices__contains=(12.5)', [1]],
      ['ratios__contains=(0.1)', [1]],
      ['flags__overlaps=(yes)', [1]],
      ['days__contains=(2024-02-29)', [1]],
      ['codes__contains=(3F2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01)', [1]],
      ['moods__contains=(sad)', [1]],
      ['or[marks__contains=(7),moods__overlaps=(glad,sad)]', [1, 3]],
      ['marks__isnull=true', [2]],
    ] as const) {
      equal(await column(api, `/api/posts?${query}`), ids, query)
    }
  })

  test('no other operator compares them', async () => {
    await refuses(api, '/api/posts?tags__eq=red', {
      says: [
        '"eq" cannot be used on tags, which is of type list. Operators for it: isnull, contains, overlaps.',
      ],
    })
    for (const name of ['moments', 'opens']) {
      await refuses(api, `/api/posts?${name}__contains=(2024-01-01)`, {
        says: ['of type list. Operators for it: isnull.'],
      })
    }
    await refuses(api, '/api/posts?id__contains=(1)', { code: 'operator_not_for_type' })
    await refuses(api, '/api/posts?marks__contains=(x)', { says: ['"x" is not a value of marks'] })
    await refuses(api, '/api/posts?moods__overlaps=(angry)', { says: ['one of glad, sad'] })
    await refuses(api, '/api/posts?order_by=tags', { says: ['tags'] })
    await refuses(api, '/api/posts?groupby=tags', { says: [] })
  })

  test('an item of another type is a problem with its index', async () => {
    const problems = async (body: object): Promise<unknown> => {
      const answer = await send(api, 'PATCH', '/api/posts/2', { body })
      equal(answer.status, 400)
      return answer.errors.reason
    }
    const whole = ['Expected a whole number between -9007199254740991 and 9007199254740991.']
    equal(await problems({ tags: 'red', marks: [1, 'x', 2, 1.5], moods: ['glad', 'angry'] }), {
      tags: ['Expected a list.'],
      'marks[1]': whole,
      'marks[3]': whole,
      'moods[1]': ['Expected one of glad, sad.'],
    })
    equal(
      await problems({
        marks: [
          [1, 2],
          [3, 'x'],
        ],
      }),
      { 'marks[1][1]': whole },
    )
    equal(await problems({ tags: [['a'], ['b', 'c']], marks: [[]] }), {
      tags: ['Expected a list of values, or of lists that have as many values each.'],
      marks: ['Expected a list of values, or of lists that have as many values each.'],
    })
    equal(await problems({ tags: null }), { tags: ['This field cannot be null.'] })
    const wide = await send(api, 'PATCH', '/api/posts/2', { body: { marks: [3000000000] } })
    equal([wide.status, wide.errors.code], [422, 'value_not_storable'])
  })

  test('are filtered among the rows in scope, and not if they are hidden', async () => {
    const own = testApi(db, [
      { ...Post, meta: { access_policy: { scope_query: (query) => query.where('id', '<', 3) } } },
    ])
    equal(await column(own, '/api/posts?tags__overlaps=(red,blue)'), [1])
    const hidden = { ...Post.columns, tags: { ...Post.columns.tags, hidden: true } } as const
    const closed = testApi(db, [defineModel('Post', { table: 'posts', columns: hidden, meta: {} })])
    for (const operator of ['contains', 'overlaps']) {
      await refuses(closed, `/api/posts?tags__${operator}=(red)`, { code: 'unknown_column' })
    }
  })

  test('are introspected, and lists of unknown types are opaque', async () => {
    const { models } = await introspect(db.kysely)
    const [Other, Posts] = models.map((model) => ({ ...model, meta: {} })) as [AnyModel, AnyModel]
    const { id: _, ...declared } = Post.columns
    const { id: __, ...found } = Posts.columns
    equal(found, declared)
    const nullable = { nullable: true }
    const opaque = { type: 'opaque', readOnly: true, ...nullable } as const
    const { id: ___, ...others } = Other.columns
    equal(others, {
      short: { type: 'list', items: 'integer', ...nullable },
      words: { type: 'list', items: 'string', hasDefault: true },
      fixed: { type: 'list', items: 'string', ...nullable },
      names: { type: 'list', items: 'text', ...nullable },
      square: { type: 'list', items: 'integer', ...nullable },
      addresses: opaque,
      documents: opaque,
      domain_list: { type: 'list', items: 'integer', ...nullable },
      kinds: { type: 'list', items: 'enum', enum: ['glad', 'sad'], ...nullable },
    })
    const own = testApi(db, [Other])
    equal(await read(own, '/api/others/1'), {
      id: 1,
      short: [1],
      words: ['a'],
      fixed: ['ab'],
      names: ['Ann', 'bob'],
      square: [
        [1, 2],
        [3, 4],
      ],
      addresses: '{10.0.0.1}',
      documents: '{"{\\"a\\": 1}"}',
      domain_list: [1, 2],
      kinds: ['sad'],
    })
    for (const query of [
      'short__overlaps=(1,99999)',
      'words__contains=(a)',
      'fixed__contains=(ab)',
      'names__contains=(Ann)',
      'domain_list__contains=(2,1)',
      'kinds__overlaps=(sad)',
    ]) {
      equal(await column(own, `/api/others?${query}`), [1], query)
    }
  })
})
