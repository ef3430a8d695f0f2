/** Aggregates of related records that models declare as read-only columns (contract §4, "Aggregates of relations"). */
import { avg, belongsTo, count, defineModel, hasMany, manyToMany, max, sum } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const

const Site = defineModel('Site', {
  columns: { id, name, parent_id: { type: 'integer', nullable: true } },
  relations: {
    visits: hasMany('Visit', 'site_id'),
    parent: belongsTo('Site', 'parent_id'),
    branches: hasMany('Site', 'parent_id'),
    tags: manyToMany('Label', { through: 'site_labels', from: 'site_id', to: 'label_id' }),
  },
  aggregates: {
    open_count: count('visits', { status: 'open' }, { description: 'Visits to come.' }),
    branch_visits: count('branches.visits'),
    fee_total: sum('visits.fee'),
    minutes_mean: avg('visits.minutes', { or: [{ status: 'open' }, { fee: { ge: '50' } }] }),
    last_at: max('visits.at', undefined, { sent: false }),
  },
  meta: {},
})
const Visit = defineModel('Visit', {
  columns: {
    id,
    status: { type: 'enum', enum: ['open', 'done'] },
    minutes: { type: 'integer', nullable: true },
    fee: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    at: { type: 'datetime', nullable: true },
    site_id: { type: 'integer' },
    hidden: { type: 'boolean', default: false },
  },
  relations: { site: belongsTo('Site', 'site_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id, name: { ...name, unique: true } },
  relations: {
    sites: manyToMany('Site', { through: 'site_labels', from: 'label_id', to: 'site_id' }),
  },
  aggregates: { open_sites: count('sites', { visits: { status: 'open' } }) },
  meta: {},
})
const models = [Site, Visit, Label]

const on = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const,
}

const harbour = {
  id: 1,
  name: 'Harbour',
  parent_id: null,
  open_count: 2,
  branch_visits: 1,
  fee_total: '80.50',
  minutes_mean: 40,
}
const north = {
  id: 2,
  name: 'North',
  parent_id: 1,
  open_count: 0,
  branch_visits: 0,
  fee_total: null,
  minutes_mean: null,
}
const harbourLinks = {
  visits: '/api/sites/1/visits',
  parent: null,
  branches: '/api/sites/1/branches',
  tags: '/api/sites/1/tags',
}

eachDatabase('declared aggregates', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Site, [
      { id: 1, name: 'Harbour', parent_id: null },
      { id: 2, name: 'North', parent_id: 1 },
      { id: 3, name: 'Old Town', parent_id: null },
    ])
    await insertRows(db, Visit, [
      {
        id: 1,
        status: 'open',
        minutes: 30,
        fee: '20.00',
        at: '2024-01-01T10:00:00.000Z',
        site_id: 1,
        hidden: false,
      },
      {
        id: 2,
        status: 'open',
        minutes: 50,
        fee: '10.50',
        at: '2024-03-01T10:00:00.000Z',
        site_id: 1,
        hidden: true,
      },
      { id: 3, status: 'done', minutes: 40, fee: '50.00', at: null, site_id: 1, hidden: false },
      { id: 4, status: 'done', minutes: null, fee: null, at: null, site_id: 2, hidden: false },
    ])
    await insertRows(db, Label, [
      { id: 1, name: 'quay' },
      { id: 2, name: 'old' },
    ])
    await db.kysely
      .insertInto('site_labels')
      .values([
        { site_id: 1, label_id: 1 },
        { site_id: 2, label_id: 1 },
        { site_id: 3, label_id: 2 },
      ])
      .execute()
    // The rows were inserted with their keys, which does not advance PostgreSQL's sequences.
    for (const table of db.name === 'postgres' ? ['sites', 'visits'] : []) {
      await db.execScript(`alter table ${table} alter column id restart with 100`)
    }
  })
  const api = testApi(db, models, on)
  const sites = (query: string) => read(api, `/api/sites?${query}`)
  const ids = (query: string) => column(api, `/api/sites?${query}`)

  test('every response has them after the columns, except those with sent: false', async () => {
    const list = await sites('dump_relationships=false')
    equal(JSON.stringify(list[0]), JSON.stringify(harbour))
    equal(list[1], north)
    const one = await read(api, '/api/sites/1')
    equal(JSON.stringify(one), JSON.stringify({ ...harbour, ...harbourLinks }))
    equal(await sites('dump_relationships=false&page=2&limit=1'), [north])
    equal((await sites('dump_relationships=false&paging=cursor&limit=2&order_by=-name'))[1], north)
    equal(await read(api, '/api/visits/4/site?dump_relationships=false'), north)
    equal(await read(api, '/api/sites/1/branches?dump_relationships=false'), [north])
    equal(await column(api, '/api/labels', 'open_sites'), [1, 0])
  })

  test('fields names them as columns: alone, with *, left out, or added if they are not sent', async () => {
    equal(await sites('fields=name,open_count'), [
      { name: 'Harbour', open_count: 2 },
      { name: 'North', open_count: 0 },
      { name: 'Old Town', open_count: 0 },
    ])
    equal(await read(api, '/api/sites/1?fields=last_at'), { last_at: '2024-03-01T10:00:00.000Z' })
    equal((await sites('fields=*&dump_relationships=false'))[0], harbour)
    equal((await sites('fields=*,open_count&dump_relationships=false'))[0], harbour)
    const { open_count: _, ...without } = harbour
    equal((await sites('fields=-open_count&dump_relationships=false'))[0], without)
    equal((await sites('fields=-last_at&dump_relationships=false'))[0], harbour)
    const added = (await sites('fields=*,last_at&dump_relationships=false'))[0]
    equal(added, { ...harbour, last_at: '2024-03-01T10:00:00.000Z' })
    equal((await sites('fields=*,count(visits)|n&dump_relationships=false'))[0], {
      ...harbour,
      n: 3,
    })
    await refuses(api, '/api/sites?fields=open_cuont', { says: ['Did you mean "open_count"'] })
  })

  test('filters: all operators of the type, in groups, and on related records', async () => {
    equal(await ids('open_count__gt=0'), [1])
    equal(await ids('open_count__in=(0,7)'), [2, 3])
    equal(await ids('fee_total__eq=80.5'), [1])
    equal(await ids('fee_total__isnull=true'), [2, 3])
    equal(await ids('minutes_mean__between=(39,41)'), [1])
    equal(await ids('last_at__ge=2024-03-01'), [1])
    equal(await ids('or[open_count__eq=2,name__eq=North]'), [1, 2])
    equal(await ids('not[open_count__eq=0]'), [1])
    equal(await column(api, '/api/visits?exists(site.open_count__gt=1)'), [1, 2, 3])
    equal(await column(api, '/api/visits?join=site&site.open_count__lt=1'), [4])
    equal(
      await column(api, '/api/sites?fields=count(branches[open_count__eq=0])|n', 'n'),
      [1, 0, 0],
    )
    equal((await succeeds(api, '/api/sites?open_count__eq=0&limit=1')).total, 2)
    await refuses(api, '/api/sites?open_count__like=2', { says: ['like', 'integer'] })
    await refuses(api, '/api/sites?open_count=2', { says: ['open_count__eq=2'] })
  })

  test('the same query with other values finds other records', async () => {
    for (const [least, found] of [
      [1, [1]],
      [0, [1, 2, 3]],
      [3, []],
      [1, [1]],
    ] as const) {
      equal(await ids(`open_count__ge=${least}`), found)
    }
  })

  test('order_by, with nulls as of columns; a cursor over them is refused', async () => {
    equal(await ids('order_by=-open_count,-id'), [1, 3, 2])
    equal(await ids('order_by=fee_total,id'), [1, 2, 3])
    equal(await ids('order_by=-fee_total.nullslast,id&limit=1'), [1])
    equal(await ids('order_by=-branch_visits,id&limit=1&page=2'), [2])
    equal(await column(api, '/api/visits?join=site&order_by=site.open_count,id'), [4, 1, 2, 3])
    await refuses(api, '/api/sites?paging=cursor&order_by=open_count', { says: ['cursor'] })
  })

  test('embedded and joined records have them', async () => {
    const [first] = await read(api, '/api/visits?dump=dynamic&join=site&limit=1')
    const { visits: _, branches: __, tags: ___, parent: ____, ...site } = { ...first.site }
    equal(site, harbour)
    const one = await read(api, '/api/sites/1?dump=json&branches.order_by=-open_count')
    equal(one.branches[0].branch_visits, 0)
    const chosen = '/api/sites/1?dump=json&branches.fields=name,last_at&branches[open_count__eq=0]'
    equal((await read(api, chosen)).branches, [{ name: 'North', last_at: null }])
    equal(await read(api, '/api/visits?join=site&fields=id,site.open_count&order_by=id'), [
      { id: 1, open_count: 2 },
      { id: 2, open_count: 2 },
      { id: 3, open_count: 2 },
      { id: 4, open_count: 0 },
    ])
    const all = await read(api, '/api/visits?join=site&fields=*,site.open_count&limit=1')
    equal(all[0].open_count, 2)
    const parents = await read(
      api,
      '/api/sites?join=parent&fields=id,open_count,parent.open_count&parent.id__eq=1',
    )
    equal(parents, [{ id: 2, open_count: 0, 'parent.open_count': 2 }])
  })

  test('embeds, joins, limits and the aggregates of a query change nothing in them', async () => {
    for (const extra of [
      'dump=json&visits.limit=1',
      'dump=json&visits[id__gt=100]',
      'join=visits&join_type=left',
      'fields=*,count(visits[id__gt=100])',
    ]) {
      equal((await sites(`order_by=id&${extra}`))[0].open_count, 2, extra)
    }
  })

  test('they are no columns of groups, no values of aggregates and no distinct_on', async () => {
    equal(await sites('groupby=parent_id,id|n__count=1&open_count__gt=0'), [
      { parent_id: null, n: 1 },
    ])
    for (const query of [
      'groupby=open_count',
      'groupby=id&order_by=open_count',
      'groupby=id&fields=open_count',
      'open_count|n__sum=1',
      'distinct_on=open_count&order_by=open_count',
      'fields=sum(branches.open_count)',
    ]) {
      await refuses(api, `/api/sites?${query}`, { says: ['aggregate of related records'] })
    }
    await refuses(api, '/api/sites?fields=count(visits)|open_count', { says: ['also a column'] })
  })

  test('they need no API_ALLOW_AGGREGATION, and do not count for API_MAX_AGGREGATES', async () => {
    const off = testApi(db, models, { API_MAX_AGGREGATES: 1, API_MAX_DEPTH: 1 })
    const [first] = await read(
      off,
      '/api/sites?order_by=-open_count&fee_total__gt=1&dump_relationships=false',
    )
    equal(first, harbour)
    await refuses(off, '/api/sites?fields=count(visits)', { says: ['API_ALLOW_AGGREGATION'] })
    // The declared aggregate does not let in the same text of a client.
    const text = 'fields=open_count,count(visits[status__eq=open])'
    await refuses(off, `/api/sites?${text}`, { says: ['API_ALLOW_AGGREGATION'] })
  })

  test('the switches of the model that declares them apply, not those of the aggregated one', async () => {
    const closed = testApi(
      db,
      withMeta(models, 'Visit', {
        allow_filters: false,
        allow_order_by: false,
        allow_select_fields: false,
        allow_aggregation: false,
      }),
      on,
    )
    equal(
      await column(closed, '/api/sites?fee_total__gt=1&order_by=fee_total&fields=id,fee_total'),
      [1],
    )
    const own = testApi(db, withMeta(models, 'Site', { allow_filters: false }), on)
    await refuses(own, '/api/sites?open_count__gt=1', { says: ['API_ALLOW_FILTERS'] })
    await refuses(own, '/api/visits?join=site&site.open_count__gt=1', {
      says: ['API_ALLOW_FILTERS'],
    })
  })

  test('the policy and soft delete of the aggregated model apply, for each caller', async () => {
    const scoped = (hidden: boolean) => ({ access_policy: { scope: { hidden: { eq: hidden } } } })
    const seen = testApi(db, withMeta(models, 'Visit', scoped(false)), on)
    equal((await read(seen, '/api/sites/1')).open_count, 1)
    equal(await column(seen, '/api/sites?open_count__eq=1&fee_total__eq=70'), [1])
    const byUser = testApi(
      db,
      withMeta(models, 'Visit', {
        access_policy: {
          // biome-ignore lint/suspicious/noExplicitAny: the query of any model
          scope_query: (query: any, { user }: any) =>
            user === undefined || user === null
              ? null
              : query.where('visits.id', user.hidden ? '=' : '<>', 2),
        },
      }),
      on,
    )
    const asked = (user: unknown, url: string) => send(byUser, 'GET', url, { user })
    for (const hidden of [true, false, true]) {
      const answer = await asked({ hidden }, '/api/sites?order_by=-open_count')
      equal(answer.value[0].open_count, 1)
      equal(answer.value[0].fee_total, hidden ? '10.50' : '70.00')
    }
    const deleted = withMeta(models, 'Visit', {
      soft_delete: true,
      soft_delete_attribute: 'hidden',
      soft_delete_values: [false, true],
    })
    equal((await read(testApi(db, deleted, on), '/api/sites/1')).open_count, 1)
  })

  test('records that the caller may not list: left out of responses, 403 if named', async () => {
    const locked = testApi(db, withMeta(models, 'Visit', { role_map: { GET_MANY: 'staff' } }), on)
    const refused = testApi(
      db,
      withMeta(models, 'Visit', { access_policy: { scope: () => false } }),
      on,
    )
    for (const closed of [locked, refused]) {
      for (const url of ['/api/sites?order_by=id', '/api/sites?fields=*&order_by=id']) {
        const [first] = await read(closed, url)
        equal([Object.hasOwn(first, 'open_count'), first.name], [false, 'Harbour'])
      }
      equal(Object.hasOwn(await read(closed, '/api/sites/1'), 'open_count'), false)
      const outer = await read(closed, '/api/sites/2?dump=dynamic&join=parent')
      equal([Object.hasOwn(outer.parent, 'open_count'), outer.parent.name], [false, 'Harbour'])
      for (const query of [
        'fields=open_count',
        'fields=*,open_count',
        'open_count__gt=0',
        'order_by=open_count',
        'dump=json&branches.fields=open_count',
      ]) {
        await refuses(closed, `/api/sites?${query}`, { status: 403 })
      }
    }
    // One of whose conditions tests such records.
    equal(Object.hasOwn((await read(locked, '/api/labels'))[0], 'open_sites'), false)
  })

  test('a caller without the right to read one does not see it; nor without that to a column in it', async () => {
    const Restricted = {
      ...Site,
      aggregates: { ...Site.aggregates, open_count: count('visits', {}, { read: 'staff' }) },
    }
    const VisitWithRight = {
      ...Visit,
      columns: { ...Visit.columns, fee: { ...Visit.columns.fee, read: 'staff' } },
    }
    const ruled = testApi(db, [Restricted, VisitWithRight, Label], on)
    const one = await read(ruled, '/api/sites/1?dump_relationships=false')
    equal(Object.keys(one), ['id', 'name', 'parent_id', 'branch_visits'])
    for (const query of ['fields=open_count', 'open_count__gt=0', 'order_by=fee_total']) {
      await refuses(ruled, `/api/sites?${query}`, { says: ['Unknown column'] })
    }
    const minutes = await refuses(ruled, '/api/sites?fields=minutes_mena')
    equal(String(minutes.errors.reason).includes('minutes_mean'), false)
  })

  test('the row part of an ETag is that of the columns; the whole ETag changes with them', async () => {
    const rowPart = ({ headers }: Answer) => headers.etag?.split('.')[0]
    const before = await succeeds(api, '/api/sites/2')
    const without = await succeeds(api, '/api/sites/2?fields=name')
    equal(rowPart(before), rowPart(without))
    const added = await send(api, 'POST', '/api/visits', {
      body: { status: 'open', site_id: 2 },
    })
    equal(added.status, 201)
    const after = await send(api, 'GET', '/api/sites/2', {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    equal([after.status, after.value.open_count], [200, 1])
    const written = await send(api, 'PATCH', '/api/sites/2', {
      headers: { 'if-match': before.headers.etag ?? '' },
      body: { name: 'North' },
    })
    equal([written.status, written.value.open_count], [200, 1])
    equal(written.headers.etag, after.headers.etag)
    await send(api, 'DELETE', `/api/visits/${added.value.id}`)
  })

  test('writes: the response shows them as a GET would; a change may send them back, a new record not', async () => {
    const created = await send(api, 'POST', '/api/sites', { body: { name: 'New' } })
    equal([created.status, created.value.open_count, created.value.fee_total], [201, 0, null])
    const url = `/api/sites/${created.value.id}`
    const back = await send(api, 'PUT', url, { body: { ...created.value, open_count: 9 } })
    equal([back.status, back.value], [200, created.value])
    const many = await send(api, 'PATCH', url, { body: { open_count: 3, name: 'Newer' } })
    equal([many.status, many.value.open_count, many.value.name], [200, 0, 'Newer'])
    const refused = await send(api, 'POST', '/api/sites', { body: { name: 'x', open_count: 1 } })
    equal(
      [refused.status, refused.errors.reason],
      [400, { open_count: ['This field is read-only.'] }],
    )
    await send(api, 'DELETE', url)
  })

  test('embedded records may be sent back with theirs: as links, children, and by a unique name', async () => {
    const nested = testApi(db, models, { ...on, API_ALLOW_NESTED_WRITES: true })
    // Links of both kinds: to one record, and to many by a junction.
    const visit = await read(nested, '/api/visits/4?dump=json')
    equal(visit.site.branch_visits, 0)
    const changed = await send(nested, 'PATCH', '/api/visits/4', { body: visit })
    equal([changed.status, changed.errors], [200, null])
    const site = await read(nested, '/api/sites/1?dump=json')
    equal(
      [site.tags[0].open_sites, site.branches[0].open_count, site.open_count],
      [1, 0, harbour.open_count],
    )
    const body = { ...site, visits: '/api/sites/1/visits' }
    const back = await send(nested, 'PATCH', '/api/sites/1', { body })
    equal([back.status, back.errors], [200, null])
    equal(await sites('dump_relationships=false&limit=2'), [harbour, north])
    const byName = await send(nested, 'PATCH', '/api/sites/1?tags.on_conflict=name', {
      body: { tags: [{ name: 'quay', open_sites: 1 }] },
    })
    equal([byName.status, byName.errors], [200, null])
    // A record that is created has no aggregates of its own to send.
    const refused = { open_count: ['This field is read-only.'] }
    for (const [place, request] of [
      ['site', { body: { status: 'open', site: { name: 'New', open_count: 1 } } }],
      ['branches[0]', { body: { branches: [{ name: 'New', open_count: 1 }] } }],
    ] as const) {
      const url = place === 'site' ? 'POST /api/visits' : 'PATCH /api/sites/1'
      const [method = '', path = ''] = url.split(' ')
      const answer = await send(nested, method, path, request)
      equal(
        [answer.status, answer.errors.reason],
        [400, { [`${place}.open_count`]: refused.open_count }],
      )
    }
    const newTag = await send(nested, 'PATCH', '/api/sites/1?tags.on_conflict=name', {
      body: { tags: [{ name: 'fresh', open_sites: 1 }] },
    })
    equal(newTag.errors.reason, { 'tags[0].open_sites': ['This field is read-only.'] })
  })

  test('writes of several records, found by them', async () => {
    const bulk = testApi(db, models, { ...on, API_ALLOW_BULK: true })
    const created = await send(bulk, 'POST', '/api/sites', { body: [{ name: 'A' }, { name: 'B' }] })
    equal(
      created.value.map((one: { open_count: number }) => one.open_count),
      [0, 0],
    )
    const changed = await send(bulk, 'PATCH', '/api/sites?open_count__eq=0&name__eq=A', {
      body: { name: 'C' },
    })
    equal([changed.status, changed.total], [200, 1])
    const removed = await send(bulk, 'DELETE', '/api/sites?open_count__eq=0&name__in=(B,C)')
    equal(removed.status, 200)
    equal(await ids(''), [1, 2, 3])
  })

  test('QUERY and batches', async () => {
    const inBatch = testApi(db, models, { ...on, API_ALLOW_BATCH: true })
    const query = 'fields=id,open_count&open_count__gt=1'
    const answer = await send(inBatch, 'QUERY', '/api/sites', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: query,
    })
    equal(answer.value, [{ id: 1, open_count: 2 }])
    const operations = [{ id: 'list', method: 'GET', url: `/api/sites?${query}` }]
    const listed = await send(inBatch, 'POST', '/api/batch', { body: { operations } })
    equal(listed.value[0].value, [{ id: 1, open_count: 2 }])
  })

  test('the document describes them in records, filters and orders, not in bodies', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: parts of the document
    const { components } = (await api.openapi()) as any
    const { Site: record, NewSite, PatchSite } = components.schemas
    equal(record.properties.open_count, { type: 'integer', description: 'Visits to come.' })
    equal(record.required.includes('open_count'), false)
    equal(
      [NewSite, PatchSite].map(({ properties }) => 'open_count' in properties),
      [false, false],
    )
    match(JSON.stringify(components), /open_count__ge/)
    match(JSON.stringify(components.schemas.SiteColumn), /open_count/)
  })

  test('mistakes are errors of createApi, with the message of a request', () => {
    const problemsOf = (aggregates: Record<string, unknown>): string => {
      const model = { ...Site, aggregates } as unknown as typeof Site
      return throws(() => testApi(db, [model, Visit, Label])).message
    }
    for (const [aggregate, says] of [
      [count('visit_s'), 'Did you mean "visits"?'],
      [count('parent'), 'leads to one record'],
      [count('visits.fee'), '"fee"'],
      [sum('visits.fees'), 'Did you mean "fee"?'],
      [sum('visits'), 'has no column'],
      [sum('visits.status'), 'enum'],
      [count('visits', { statu: 'open' }), 'Did you mean "status"?'],
      [count('visits', { status: 'opne' }), 'opne'],
      [count('visits', { minutes: { gt: 'many' } }), 'many'],
      [
        count('visits', { minutes: { gte: 5 } }),
        '"gte" of "minutes" is no operator. Did you mean "ge"?',
      ],
      [count('visits', { minutes: { like: '5' } }), 'like'],
      [count('visits', { minutes: undefined }), 'undefined'],
      [count('visits', { or: [{ status: { is: 'open' } }] }), '"is" of "status"'],
      [count('branches', { open_count: 1 }), 'Unknown column "open_count"'],
      [{ ...count('visits'), send: false }, 'unknown option. Did you mean "sent"?'],
      [{ ...count('visits'), sent: 1 }, 'sent'],
      [{ function: 'median', of: 'visits.fee' }, 'median'],
      ['visits', "such as count('books')"],
    ] as const) {
      const problem = problemsOf({ n: aggregate })
      match(problem, 'models.Site.aggregates.n')
      match(problem, says)
    }
    match(
      problemsOf({ name: count('visits') }),
      'models.Site.aggregates.name: a column has this name.',
    )
    match(problemsOf({ parent: count('visits') }), 'aggregates.parent: a relation has this name.')
    match(problemsOf({ n__sum: count('visits') }), 'cannot end in "__sum"')
  })
})
