/** MySQL and MariaDB: keys of `bigint unsigned` beyond 2^63-1 in paths, filters, cursors and Location. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Post = defineModel('Post', {
  table: 'posts',
  columns: {
    id: { type: 'bigint', unsigned: true, primaryKey: true, generated: true },
    parent_id: { type: 'bigint', unsigned: true, nullable: true },
    title: { type: 'string' },
  },
  relations: { children: hasMany('Post', 'parent_id'), parent: belongsTo('Post', 'parent_id') },
  meta: {},
})

/** Clients set the key. */
const Code = defineModel('Code', {
  table: 'codes',
  columns: { id: { type: 'bigint', unsigned: true, primaryKey: true }, title: { type: 'string' } },
  meta: {},
})

const big = '18446744073709551000'
const largest = '18446744073709551615'

eachDatabase('bigint unsigned', (test, db) => {
  if (db.name !== 'mysql') {
    test('exists in MySQL and MariaDB alone; elsewhere 64-bit integers are signed', async () => {
      await db.execScript('create table codes (id bigint primary key, title varchar(9))')
      const api = testApi(db, [Code])
      await refuses(api, `/api/codes?id__eq=${big}`, { code: 'invalid_value', says: ['64 bits'] })
      await refuses(api, `/api/codes/${big}`, { status: 404 })
      equal(await refusalOf(send(api, 'POST', '/api/codes', { body: { id: '-1', title: 'a' } })), {
        id: ['Expected at least 0, got -1.'],
      })
    })
    return
  }
  test.before(() =>
    db.execScript(`
      create table posts (id bigint unsigned auto_increment primary key, parent_id bigint unsigned, title varchar(20) not null);
      create table codes (id bigint unsigned primary key, title varchar(20) not null);
      insert into posts values (1, null, 'one'), (9223372036854775807, null, 'signed'), (9223372036854775808, 1, 'two'),
        (${big}, 9223372036854775808, 'three');`),
  )
  const api = testApi(db, [Post, Code])

  test('a record with a key beyond the signed range has URLs, also of its relations', async () => {
    const record = await read(api, `/api/posts/${big}`)
    equal(record, {
      id: big,
      parent_id: '9223372036854775808',
      title: 'three',
      children: `/api/posts/${big}/children`,
      parent: `/api/posts/${big}/parent`,
    })
    equal((await read(api, record.parent)).title, 'two')
    equal(await column(api, '/api/posts/9223372036854775808/children'), [big])
    equal((await read(api, '/api/posts/1?dump=json')).children[0].id, '9223372036854775808')
    await refuses(api, '/api/posts/18446744073709551616', { status: 404 })
    await refuses(api, `/api/posts/0${big}`, { status: 404 })
  })

  test('filters compare it', async () => {
    equal(await column(api, '/api/posts?id__gt=9223372036854775807'), ['9223372036854775808', big])
    equal(await column(api, `/api/posts?id__in=(1,${big})`), ['1', big])
    equal(await column(api, `/api/posts?id__eq=${big}`), [big])
    equal(await column(api, `/api/posts?id__gt=-1&id__lt=2`), ['1'])
    equal(await column(api, `/api/posts?id__le=${largest}&id__nin=(1)`), [
      '9223372036854775807',
      '9223372036854775808',
      big,
    ])
    await refuses(api, '/api/posts?id__eq=18446744073709551616', { code: 'invalid_value' })
  })

  test('next_url leads to the last page', async () => {
    for (const order of ['id', '-id', 'parent_id']) {
      const all = await column(api, `/api/posts?order_by=${order}`)
      const seen: unknown[] = []
      let url: string | null = `/api/posts?order_by=${order}&limit=1&paging=cursor`
      while (url !== null && seen.length < 9) {
        const page: Answer = await get(api, url)
        seen.push(...page.value.map(({ id }: { id: string }) => id))
        url = page.body.next_url
      }
      equal(seen, all, order)
    }
  })

  test('has no negative values', async () => {
    equal(await refusalOf(send(api, 'POST', '/api/codes', { body: { id: '-1', title: 'a' } })), {
      id: ['Expected at least 0, got -1.'],
    })
  })

  test('without unsigned: true its large numbers are shown and paged by cursors, but named by no request', async () => {
    const { unsigned: _, ...signed } = Post.columns.parent_id
    const Signed = defineModel('Post', {
      table: 'posts',
      columns: { ...Post.columns, parent_id: signed },
      meta: {},
    })
    const narrow = testApi(db, [Signed])
    equal((await read(narrow, `/api/posts/${big}`)).parent_id, '9223372036854775808')
    await refuses(narrow, '/api/posts?parent_id__eq=9223372036854775808', {
      code: 'invalid_value',
      says: ['64 bits'],
    })
    equal(
      (await narrow.schemaDifferences()).map(({ kind, column, remedy }) => [kind, column, remedy]),
      [['unsigned', 'parent_id', 'Declare unsigned: true.']],
    )
    const order = 'parent_id__isnull=false&order_by=-parent_id'
    const first = await get(narrow, `/api/posts?${order}&limit=1&paging=cursor`)
    equal(first.value[0].parent_id, '9223372036854775808')
    equal((await read(narrow, first.body.next_url ?? ''))[0].parent_id, '1')
  })

  test('Location is the URL of the new record', async () => {
    const made = await send(api, 'POST', '/api/posts', { body: { title: 'new', parent_id: big } })
    equal([made.status, made.value?.id], [201, '18446744073709551001'])
    equal(made.headers.location, '/api/posts/18446744073709551001')
    equal(await read(api, made.headers.location ?? ''), made.value)
    const own = await send(api, 'POST', '/api/codes', { body: { id: largest, title: 'last' } })
    equal([own.status, own.headers.location], [201, `/api/codes/${largest}`])
    const changed = await send(api, 'PATCH', `/api/codes/${largest}`, { body: { title: 'still' } })
    equal([changed.status, changed.value], [200, { id: largest, title: 'still' }])
    equal((await send(api, 'DELETE', `/api/codes/${largest}`)).status, 200)
  })
})

const refusalOf = async (answer: Promise<Answer>): Promise<unknown> =>
  (await answer).body.errors.reason
