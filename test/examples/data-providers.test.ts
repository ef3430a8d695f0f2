/** The data providers of examples/react-admin and examples/refine with the demo: every call that the frameworks make. */
import { openLibrary } from '../../examples/library/library.ts'
import { dataProvider as reactAdmin } from '../../examples/react-admin/data-provider.ts'
import type { ApiFailure, Options, Row } from '../../examples/react-admin/requests.ts'
import { dataProvider as refine } from '../../examples/refine/data-provider.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const origin = 'http://library.test'
let library: Awaited<ReturnType<typeof openLibrary>>
let options: Options
let asked: string[] = []

async function open(): Promise<void> {
  library = await openLibrary()
  const send = (url: string, init: RequestInit) => library.api.fetch(new Request(url, init))
  const login = await send(`${origin}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: 'ada-admin' }),
  })
  const { value } = (await login.json()) as { value: { access_token: string } }
  options = {
    headers: () => ({ authorization: `Bearer ${value.access_token}` }),
    keys: { countries: ['code'], holdings: ['branch_id', 'book_id'] },
    fetch: (url, init) => {
      const words = url.slice(origin.length).replaceAll('+', ' ')
      asked.push(`${init.method} ${decodeURIComponent(words)}`)
      return send(url, init)
    },
  }
}

const titles = (rows: readonly Row[]): string[] => rows.map(({ title }) => String(title))
const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id)

async function failureOf(call: () => Promise<unknown>): Promise<ApiFailure> {
  try {
    await call()
  } catch (error) {
    return error as ApiFailure
  }
  return fail('it was answered')
}

suite('the data provider for react-admin', (test) => {
  let provider: ReturnType<typeof reactAdmin>
  test.before(async () => {
    await open()
    provider = reactAdmin(`${origin}/api`, options)
  })
  test.after(() => library.close())
  test.before.each(() => {
    asked = []
  })

  const sort = { field: 'id', order: 'ASC' } as const

  test('getList pages, sorts, filters and counts', async () => {
    const pagination = { page: 2, perPage: 5 }
    const filter = { title__ilike: 'the', price__le: 20, language: 'en' }
    const order = { field: 'title', order: 'DESC' } as const
    const first = await provider.getList('books', {
      pagination: { page: 1, perPage: 10 },
      sort: order,
      filter,
    })
    const second = await provider.getList('books', { pagination, sort: order, filter })
    equal(second.data, first.data.slice(5))
    equal(second.total, first.total)
    ok(first.total > 10 && first.data.every(({ language }) => language === 'en'))
    ok(titles(first.data).every((title) => /the/i.test(title)))
    ok('author' in (first.data[0] ?? {}) === false, 'no URLs of relations')
  })

  test('getList accepts lists and conditions of the query language, and omits empty filters', async () => {
    const few = { pagination: { page: 1, perPage: 10 }, sort }
    const listed = await provider.getList('books', { ...few, filter: { id: [3, 1, 2] } })
    equal(idsOf(listed.data), [1, 2, 3])
    const all = await provider.getList('books', { ...few, filter: { title__ilike: '', id: null } })
    ok(all.total > 900)
    const [having, lacking] = await Promise.all(
      ['exists(books)', 'missing(books)'].map((condition) =>
        provider.getList('authors', { ...few, filter: { [condition]: true } }),
      ),
    )
    const authors = await provider.getList('authors', { ...few, filter: {} })
    equal((having?.total ?? 0) + (lacking?.total ?? 0), authors.total)
  })

  test('getList combines several pages for the large page of an export', async () => {
    const { data, total } = await provider.getList('books', {
      pagination: { page: 1, perPage: 1000 },
      sort,
    })
    equal(data.length, Math.min(1000, total))
    equal(asked.length, Math.ceil(data.length / 100))
    const odd = await provider.getList('books', { pagination: { page: 3, perPage: 150 }, sort })
    equal(idsOf(odd.data), idsOf(data.slice(300, 450)))
  })

  test('getOne and getMany, also for more than a page', async () => {
    const one = await provider.getOne('books', { id: 7 })
    equal(one.data.id, 7)
    const ids = Array.from({ length: 120 }, (_, i) => i + 1)
    const { data } = await provider.getMany('books', { ids })
    equal(new Set(idsOf(data)), new Set(ids))
  })

  test('keys of other names, and of several columns', async () => {
    const { data } = await provider.getList('countries', {
      pagination: { page: 1, perPage: 2 },
      sort,
    })
    equal(
      idsOf(data),
      data.map(({ code }) => code),
    )
    equal((await provider.getMany('countries', { ids: ['FR', 'GB'] })).data.length, 2)
    const pagination = { page: 1, perPage: 1 }
    const [holding] = (await provider.getList('holdings', { pagination, sort })).data
    const id = holding?.id as string
    equal(id, `${holding?.branch_id},${holding?.book_id}`)
    equal((await provider.getOne('holdings', { id })).data, holding)
    equal((await provider.getMany('holdings', { ids: [id] })).data, [holding])
    const data2 = { ...holding, copies: 9 }
    const changed = await provider.update('holdings', { id, data: data2, previousData: holding })
    equal(changed.data.copies, 9)
  })

  test('getManyReference', async () => {
    const { data, total } = await provider.getManyReference('books', {
      target: 'author_id',
      id: 1,
      pagination: { page: 1, perPage: 5 },
      sort,
      filter: {},
    })
    ok(data.length > 0 && total >= data.length)
    ok(data.every(({ author_id: id }) => id === 1))
  })

  test('create, update, updateMany, delete, deleteMany', async () => {
    const make = async (name: string) =>
      (await provider.create('categories', { data: { name, description: name } })).data
    const [one, two, three] = [await make('One'), await make('Two'), await make('Three')]
    asked = []
    const changed = await provider.update('categories', {
      id: one.id as number,
      data: { ...one, name: 'First' },
      previousData: one,
    })
    equal([changed.data.name, changed.data.description], ['First', 'One'])
    const ids = [two.id, three.id] as number[]
    const many = await provider.updateMany('categories', { ids, data: { description: 'Same' } })
    equal(many.data, ids)
    const { data } = await provider.getMany('categories', { ids })
    equal(
      data.map(({ description }) => description),
      ['Same', 'Same'],
    )
    const gone = await provider.delete('categories', { id: one.id as number, previousData: one })
    equal(gone.data, one)
    equal((await provider.deleteMany('categories', { ids })).data, ids)
    equal((await provider.getMany('categories', { ids: [one.id as number, ...ids] })).data, [])
  })

  test('failures have a status, and messages by field', async () => {
    const nowhere = await failureOf(() => provider.getOne('books', { id: 99_999 }))
    equal([nowhere.status, nowhere.errors], [404, {}])
    const wrong = await failureOf(() => provider.create('categories', { data: { nam: 'x' } }))
    equal(wrong.status, 400)
    equal(Object.keys(wrong.body.errors).sort(), ['description', 'nam', 'name'])
  })
})

suite('the data provider for refine', (test) => {
  let provider: ReturnType<typeof refine>
  test.before(async () => {
    await open()
    provider = refine(`${origin}/api`, options)
  })
  test.after(() => library.close())

  test('getList pages, sorts and counts', async () => {
    const sorters = [
      { field: 'language', order: 'asc' },
      { field: 'title', order: 'desc' },
    ] as const
    const resource = 'books'
    const first = await provider.getList({ resource, pagination: { pageSize: 8 }, sorters })
    const pagination = { currentPage: 2, pageSize: 4 }
    const second = await provider.getList({ resource, pagination, sorters })
    equal([second.data, second.total], [first.data.slice(4), first.total])
    const all = await provider.getList({ resource: 'countries', pagination: { mode: 'off' } })
    equal(all.data.length, all.total)
  })

  const counted = async (filters: Parameters<typeof provider.getList>[0]['filters']) => {
    asked = []
    const pagination = { pageSize: 1 }
    const { total } = await provider.getList({
      resource: 'books',
      pagination,
      ...(filters && { filters }),
    })
    return [total, asked[0]] as const
  }

  test('every operator of refine works', async () => {
    const all = (await counted([]))[0]
    const words =
      'contains ncontains containss ncontainss startswith startswiths endswith endswiths'
    const more = 'nstartswith nstartswiths nendswith nendswiths eq ne'
    const found = new Map<string, number>()
    for (const operator of `${words} ${more}`.split(' ')) {
      found.set(operator, (await counted([{ field: 'title', operator, value: 'The' }]))[0])
    }
    for (const operator of 'lt gt lte gte eq ne'.split(' ')) {
      await counted([{ field: 'pages', operator, value: 200 }])
    }
    for (const operator of ['contains', 'containss', 'startswith', 'endswiths', 'eq']) {
      const opposite = operator === 'eq' ? 'ne' : `n${operator}`
      equal((found.get(operator) ?? 0) + (found.get(opposite) ?? 0), all, operator)
    }
    equal((await counted([{ field: 'id', operator: 'in', value: [1, 2] }]))[0], 2)
    equal((await counted([{ field: 'id', operator: 'nin', value: [1, 2] }]))[0], all - 2)
    equal((await counted([{ field: 'id', operator: 'between', value: [3, 5] }]))[0], 3)
    equal((await counted([{ field: 'id', operator: 'nbetween', value: [3, 5] }]))[0], all - 3)
    const [none] = await counted([{ field: 'original_title', operator: 'null', value: undefined }])
    const [some] = await counted([{ field: 'original_title', operator: 'nnull', value: undefined }])
    equal(none + some, all)
    const unknown = await failureOf(() =>
      counted([{ field: 'title', operator: 'ina', value: [1] }]),
    )
    match(unknown.message, 'no operator for "ina"')
  })

  test('groups, strings with commas and quotes, and empty values', async () => {
    const [total, request] = await counted([
      {
        operator: 'or',
        value: [
          { field: 'title', operator: 'eq', value: 'a, "b" (c]' },
          {
            operator: 'and',
            value: [
              { field: 'id', operator: 'lte', value: 4 },
              { field: 'id', operator: 'in', value: [2, 3, 9] },
            ],
          },
        ],
      },
      { field: 'title', operator: 'contains', value: '' },
    ])
    equal(total, 2)
    match(request ?? '', 'or[title__eq="a, \\"b\\" (c]",and[id__le=4,id__in=(2,3,9)]]')
    equal((await counted([{ field: 'title', operator: 'eq', value: '"quoted"' }]))[0], 0)
  })

  test('getOne, getMany, create, update and deleteOne', async () => {
    const resource = 'categories'
    const variables = { name: 'Sea stories', description: 'Ships, mostly.' }
    const { data } = await provider.create({ resource, variables })
    const id = data.id as number
    equal((await provider.getOne({ resource, id })).data, data)
    const changed = await provider.update({ resource, id, variables: { name: 'Ships' } })
    equal(changed.data.name, 'Ships')
    equal((await provider.getMany({ resource, ids: [id] })).data, [changed.data])
    await provider.deleteOne({ resource, id })
    const gone = await failureOf(() => provider.getOne({ resource, id }))
    equal(gone.statusCode, 404)
    equal(provider.getApiUrl(), `${origin}/api`)
  })
})
