// A data provider for react-admin: its calls as requests to the API.

import {
  createRequests,
  type Id,
  listOf,
  type Options,
  type Pair,
  plain,
  type Row,
} from './requests.ts'

interface ListCall {
  readonly pagination?: { readonly page: number; readonly perPage: number }
  readonly sort?: { readonly field: string; readonly order: 'ASC' | 'DESC' }
  readonly filter?: Readonly<Record<string, unknown>>
}

/**
 * The data provider of an API.
 *
 * A filter names a column and an operator (`title__ilike`), a column alone (equals, or one of a list), or a condition of the
 * query language (`exists(books)`), whose value is `true`. An empty one is left out.
 *
 * ```ts
 * const provider = dataProvider('/api', { keys: { countries: ['code'] } })
 * ```
 */
export function dataProvider(url: string, options: Options = {}) {
  const requests = createRequests(url, options)

  const list = async (resource: string, call: ListCall, more: readonly Pair[] = []) => {
    const { pagination = { page: 1, perPage: 25 }, sort, filter = {} } = call
    const query = [...more, ...filters(filter), ...order(resource, sort)]
    const found = await requests.list(resource, query, pagination.page, pagination.perPage)
    return { data: found.rows, total: found.total }
  }

  /** Sorting by `id` sorts by the columns of the key, which may have other names. */
  const order = (resource: string, sort: ListCall['sort']): Pair[] => {
    if (sort === undefined || sort.field === '') return []
    const columns = sort.field === 'id' ? requests.keyOf(resource) : [sort.field]
    const sign = sort.order === 'DESC' ? '-' : ''
    return [['order_by', columns.map((column) => `${sign}${column}`).join(',')]]
  }

  return {
    getList: (resource: string, call: ListCall) => list(resource, call),

    getManyReference: (resource: string, call: ListCall & { target: string; id: Id }) =>
      list(resource, call, [[`${call.target}__eq`, plain(String(call.id))]]),

    getOne: async (resource: string, { id }: { id: Id }) => ({
      data: await requests.one(resource, id),
    }),

    getMany: async (resource: string, { ids }: { ids: readonly Id[] }) => ({
      data: await requests.many(resource, ids),
    }),

    create: async (resource: string, { data }: { data: object }) => ({
      data: await requests.create(resource, data),
    }),

    update: async (
      resource: string,
      { id, data, previousData }: { id: Id; data: object; previousData?: object | undefined },
    ) => ({ data: await requests.update(resource, id, data, previousData) }),

    /** One request for each record, so that a failure affects only its own record. */
    updateMany: async (resource: string, { ids, data }: { ids: readonly Id[]; data: object }) => {
      await Promise.all(ids.map((id) => requests.update(resource, id, data)))
      return { data: ids }
    },

    delete: async (
      resource: string,
      { id, previousData }: { id: Id; previousData?: Row | undefined },
    ) => {
      await requests.remove(resource, id)
      return { data: previousData ?? { id } }
    },

    deleteMany: async (resource: string, { ids }: { ids: readonly Id[] }) => {
      await Promise.all(ids.map((id) => requests.remove(resource, id)))
      return { data: ids }
    },
  }
}

const filters = (given: Readonly<Record<string, unknown>>): Pair[] =>
  Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === '') return []
    if (/[([]/.test(name)) return [[name, '']]
    const whole = name.includes('__') || name === 'search'
    if (Array.isArray(value)) return [[whole ? name : `${name}__in`, listOf(value)]]
    return [[whole ? name : `${name}__eq`, plain(String(value))]]
  })
