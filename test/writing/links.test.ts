/** Links of every kind of junction: without a model, with composite keys, between records of the same model. */
import {
  type AnyModel,
  type ApiRequest,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'
import { admin, owned, viewer } from './link-worlds.ts'
import { everything } from './models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const owner = { owner_id: { type: 'integer', default: 7 } } as const
const all = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const models: readonly AnyModel[] = [
  defineModel('Person', {
    columns: { id, name: { type: 'string', maxLength: 20, unique: true } },
    relations: {
      tags: manyToMany('Tag', { through: 'person_tags', from: 'person_id', to: 'tag_id' }),
      rooms: manyToMany('Room', {
        through: 'person_rooms',
        from: 'person_id',
        to: ['house', 'number'],
      }),
      bookings: manyToMany('Room', {
        through: 'bookings',
        from: 'person_id',
        to: ['house_code', 'room_number'],
      }),
      friends: manyToMany('Person', { through: 'friendships', from: 'who', to: 'whom' }),
      friend_of: manyToMany('Person', { through: 'friendships', from: 'whom', to: 'who' }),
    },
    meta: { allowed_methods: [...all] },
  }),
  defineModel('Tag', {
    columns: {
      code: { type: 'string', maxLength: 10, primaryKey: true },
      title: { type: 'string', maxLength: 20, nullable: true },
      deleted: { type: 'boolean', default: false },
      ...owner,
    },
    meta: { access_policy: owned },
  }),
  /** A composite key: a text and a number. */
  defineModel('Room', {
    columns: {
      house: { type: 'string', maxLength: 10, primaryKey: true },
      number: { type: 'integer', primaryKey: true },
      ...owner,
    },
    relations: {
      guests: manyToMany('Person', {
        through: 'bookings',
        from: ['house_code', 'room_number'],
        to: 'person_id',
      }),
    },
    meta: { access_policy: owned },
  }),
  /** A published junction whose primary key is its two foreign keys, with field names that differ from the column names. */
  defineModel('Booking', {
    columns: {
      person: { type: 'integer', primaryKey: true, column: 'person_id' },
      house: { type: 'string', maxLength: 10, primaryKey: true, column: 'house_code' },
      room: { type: 'integer', primaryKey: true, column: 'room_number' },
      nights: { type: 'integer', default: 1 },
      ...owner,
    },
    meta: { access_policy: owned },
  }),
  defineModel('Friendship', {
    columns: {
      id,
      who: { type: 'integer' },
      whom: { type: 'integer' },
      deleted: { type: 'boolean', default: false },
    },
    relations: { letters: hasMany('Letter', 'friendship_id') },
    meta: {},
  }),
  defineModel('Letter', {
    columns: { id, friendship_id: { type: 'integer' } },
    relations: { friendship: belongsTo('Friendship', 'friendship_id') },
    meta: {},
  }),
]

eachDatabase('links', (test, db) => {
  const config = { ...everything, API_MAX_DEPTH: 4 }
  const served = testApi(db, models, config)
  const as = (user: unknown, api = served) => {
    const own = {
      ...api,
      handle: (request: ApiRequest) => api.handle({ ...request, user }),
      answer: (request: ApiRequest) => api.answer({ ...request, user }),
    }
    return (method: string, url: string, body?: unknown): Promise<Answer> =>
      send(own as typeof api, method, url, body === undefined ? {} : { body })
  }
  const client = as(viewer)
  const [Person, Tag, Room] = models as [AnyModel, AnyModel, AnyModel]
  const patch = (body: object) => client('PATCH', '/api/people/1', body)
  const rowsOf = async (table: string, ...columns: string[]): Promise<unknown[]> => {
    const rows = await db.kysely.selectFrom(table).select(columns).execute()
    return rows.map((row) => columns.map((column) => row[column]).join('-')).sort()
  }

  test.before(async () => {
    await createTables(db, models)
    if (db.name !== 'postgres') return
    await db.execScript('alter table people alter column id restart with 100')
  })
  test.before.each(async () => {
    const tables = ['person_tags', 'person_rooms', 'bookings', 'letters', 'friendships']
    for (const table of [...tables, 'tags', 'rooms', 'people']) {
      await db.kysely.deleteFrom(table).execute()
    }
    await insertRows(db, Person, [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
      { id: 3, name: 'Cid' },
    ])
    await insertRows(db, Tag, [
      { code: 'a', title: null, owner_id: 7, deleted: false },
      { code: 'b', title: null, owner_id: 7, deleted: false },
      { code: 'foreign', title: null, owner_id: 8, deleted: false },
      { code: 'gone', title: null, owner_id: 7, deleted: true },
    ])
    await insertRows(db, Room, [
      { house: 'x,y', number: 1, owner_id: 7 },
      { house: 'x,y', number: 2, owner_id: 7 },
      { house: 'z', number: 1, owner_id: 8 },
    ])
  })

  test('without a model are preserved in every change if the caller cannot see the linked record', async () => {
    const codes = ['a', 'foreign', 'gone']
    const before = codes.map((tag_id) => ({ person_id: 1, tag_id }))
    const name = 'Ann'
    const changes: Readonly<Record<string, (tags: object[]) => Promise<Answer>>> = {
      PATCH: (tags) => client('PATCH', '/api/people/1', { tags }),
      PUT: (tags) => client('PUT', '/api/people/1', { name, tags }),
      upsert: (tags) => client('POST', '/api/people?on_conflict=name', { name, tags }),
      'bulk PATCH': (tags) => client('PATCH', '/api/people?id__eq=1', { tags }),
    }
    for (const [write, change] of Object.entries(changes)) {
      await db.kysely.deleteFrom('person_tags').execute()
      await insertLinks(db, 'person_tags', before)
      const { value } = await client('GET', '/api/people/1?dump=json')
      equal((await change(value.tags)).status, 200, write)
      equal(await rowsOf('person_tags', 'tag_id'), codes, write)
      equal((await change([{ code: 'b' }])).status, 200, write)
      equal(await rowsOf('person_tags', 'tag_id'), ['b', 'foreign', 'gone'], write)
      equal((await change([])).status, 200, write)
      equal(await rowsOf('person_tags', 'tag_id'), ['foreign', 'gone'], write)
    }
    const { status } = await as(admin)('PATCH', '/api/people/1', { tags: [] })
    equal([status, await rowsOf('person_tags', 'tag_id')], [200, ['gone']])
  })

  test('may name a record that the list itself creates, which is linked once', async () => {
    const made = { code: 'new', title: 'New' }
    equal((await patch({ tags: [made, made, { code: 'new' }, { code: 'a' }] })).status, 200)
    equal(await rowsOf('person_tags', 'tag_id'), ['a', 'new'])
    const differs = await patch({
      tags: [
        { code: 'other', title: 'X' },
        { code: 'other', title: 'Y' },
      ],
    })
    equal(
      [differs.status, differs.errors.reason],
      [400, { 'tags[1].title': ['This field cannot be changed here.'] }],
    )
    // The tag is not visible, so it counts as a new record, whose key is taken; the same as for POST.
    const taken = await patch({ tags: [{ code: 'a' }, { code: 'foreign' }, { code: 'b' }] })
    equal(taken.errors?.reason, { 'tags[1].code': ['Another record has this value.'] })
    equal(await rowsOf('person_tags', 'tag_id'), ['a', 'new'])
  })

  test('of composite keys: in a table without a model, and as records of one, from both sides', async () => {
    const rooms = [
      { house: 'x,y', number: 1 },
      { house: 'x,y', number: 2 },
    ]
    equal((await patch({ rooms, bookings: rooms })).status, 200)
    equal((await patch({ rooms: [rooms[1]], bookings: [rooms[1]] })).status, 200)
    equal(await rowsOf('person_rooms', 'house', 'number'), ['x,y-2'])
    const booked = () =>
      rowsOf('bookings', 'person_id', 'house_code', 'room_number', 'nights', 'owner_id')
    equal(await booked(), ['1-x,y-2-1-7'])
    const guests = [{ id: 1 }, { id: 2 }]
    equal((await client('PATCH', '/api/rooms/x%2Cy,2', { guests })).status, 200)
    equal(await booked(), ['1-x,y-2-1-7', '2-x,y-2-1-7'])
    const taken = await patch({ rooms: [{ house: 'z', number: 1 }] })
    equal(
      [taken.status, Object.keys(taken.errors.reason)],
      [409, ['rooms[0].house', 'rooms[0].number']],
    )
    equal((await client('PATCH', '/api/rooms/x%2Cy,2', { guests: [] })).status, 200)
    equal(
      [await booked(), await rowsOf('person_rooms', 'number')],
      [[], [2]].map((list) => list.map(String)),
    )
  })

  test('between records of one model, in both directions', async () => {
    const pairs = () => rowsOf('friendships', 'who', 'whom', 'deleted')
    const yes = db.name === 'postgres' ? 'true' : '1'
    const no = db.name === 'postgres' ? 'false' : '0'
    const both = { friends: [{ id: 2 }, { id: 1 }], friend_of: [{ id: 1 }, { id: 3 }] }
    equal((await patch(both)).status, 200)
    equal(await pairs(), [`1-1-${no}`, `1-2-${no}`, `3-1-${no}`])
    equal((await patch({ friend_of: [] })).status, 200)
    equal(await pairs(), [`1-1-${yes}`, `1-2-${no}`, `3-1-${yes}`])
    equal((await patch({ friends: [{ id: 2 }, { id: 1 }] })).status, 200)
    equal(await pairs(), [`1-1-${no}`, `1-2-${no}`, `3-1-${yes}`])
    const { value } = await client('POST', '/api/people', {
      name: 'Dan',
      friends: [{ id: 1 }, { name: 'Eve', friends: [{ id: 2 }] }],
      friend_of: [{ id: 3 }],
    })
    const dan = (await client('GET', `/api/people/${value.id}?dump=json`)).value
    equal(
      [dan.friends, dan.friend_of].map((list) => list.map(({ name }: { name: string }) => name)),
      [['Ann', 'Eve'], ['Cid']],
    )
  })

  test('that other records refer to are 409 if they would be deleted, and may be soft-deleted', async () => {
    equal((await patch({ friends: [{ id: 2 }] })).status, 200)
    const friendship = await db.kysely.selectFrom('friendships').select('id').executeTakeFirst()
    await client('POST', '/api/letters', { friendship_id: friendship?.id })
    const hard = models.map((model) =>
      model.name === 'Friendship'
        ? ({ ...model, meta: { soft_delete: false } } as AnyModel)
        : model,
    )
    const remover = as(viewer, testApi(db, hard, config))
    const { status, errors } = await remover('PATCH', '/api/people/1', { friends: [] })
    equal(
      [status, errors.reason],
      [409, { friends: ['Other records refer to this one: letters.'] }],
    )
    equal((await patch({ friends: [] })).status, 200)
    equal((await client('GET', '/api/people/1/friends')).total, 0)
  })

  test('may be as many as a request can hold beside the record itself', async () => {
    const codes = Array.from({ length: 999 }, (_, i) => ({ code: `t${i}`, owner_id: 7 }))
    for (let i = 0; i < codes.length; i += 500) {
      const list = codes.slice(i, i + 500).map((one) => ({ ...one, deleted: false }))
      await insertRows(db, Tag, list)
    }
    equal((await patch({ tags: codes.map(({ code }) => ({ code })) })).status, 200)
    equal((await rowsOf('person_tags', 'tag_id')).length, 999)
    equal((await patch({ tags: [{ code: 't7' }] })).status, 200)
    equal(await rowsOf('person_tags', 'tag_id'), ['t7'])
  })
})
