// A data provider for refine: its calls as requests to the API.

import {
  createRequests,
  type Id,
  listOf,
  type Options,
  type Pair,
  plain,
  quoted,
} from '../react-admin/requests.ts'

interface ListCall {
  readonly resource: string
  readonly pagination?: {
    readonly currentPage?: number
    readonly pageSize?: number
    readonly mode?: 'server' | 'client' | 'off'
  }
  readonly sorters?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[]
  readonly filters?: readonly Filter[]
}

/** One of refine's `CrudFilters`. */
type Filter =
  | { readonly field: string; readonly operator: string; readonly value: unknown }
  | { readonly operator: 'or' | 'and'; readonly value: readonly Filter[] }

/** More than any list has, to request all records. */
const whole = 100_000

/**
 * The data provider of an API.
 *
 * ```ts
 * const provider = dataProvider('/api', { keys: { countries: ['code'] } })
 * ```
 */
export function dataProvider(url: string, options: Options = {}) {
  const requests = createRequests(url, options)
  return {
    async getList({ resource, pagination = {}, sorters = [], filters = [] }: ListCall) {
      const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination
      const order = sorters
        .flatMap(({ field, order: way }) =>
          (field === 'id' ? requests.keyOf(resource) : [field]).map((column) =>
            way === 'desc' ? `-${column}` : column,
          ),
        )
        .join(',')
      const query: Pair[] = [
        ...filters.map(parameter).filter((one) => one !== undefined),
        ...(order === '' ? [] : [['order_by', order] as const]),
      ]
      const found = await (mode === 'server'
        ? requests.list(resource, query, currentPage, pageSize)
        : requests.list(resource, query, 1, whole))
      return { data: found.rows, total: found.total }
    },

    getOne: async ({ resource, id }: { resource: string; id: Id }) => ({
      data: await requests.one(resource, id),
    }),

    getMany: async ({ resource, ids }: { resource: string; ids: readonly Id[] }) => ({
      data: await requests.many(resource, ids),
    }),

    create: async ({ resource, variables }: { resource: string; variables: object }) => ({
      data: await requests.create(resource, variables),
    }),

    update: async (call: { resource: string; id: Id; variables: object }) => ({
      data: await requests.update(call.resource, call.id, call.variables),
    }),

    deleteOne: async ({ resource, id }: { resource: string; id: Id }) => {
      await requests.remove(resource, id)
      return { data: { id } }
    },

    getApiUrl: () => url,
  }
}

/** The operators of refine, and those of the query language. */
const operators: Readonly<Record<string, string>> = {
  ...{ eq: 'eq', ne: 'ne', lt: 'lt', gt: 'gt', lte: 'le', gte: 'ge', in: 'in', nin: 'nin' },
  ...{ contains: 'ilike', ncontains: 'nilike', containss: 'like', ncontainss: 'nlike' },
  ...{ startswith: 'istartswith', startswiths: 'startswith' },
  ...{ endswith: 'iendswith', endswiths: 'endswith', between: 'between' },
}

/** Negated operators, which the query language expresses with `not[…]`. */
const opposites: Readonly<Record<string, string>> = {
  ...{ nstartswith: 'istartswith', nstartswiths: 'startswith' },
  ...{ nendswith: 'iendswith', nendswiths: 'endswith', nbetween: 'between' },
}

/** Converts a filter to a parameter; undefined if it has no value. */
function parameter(filter: Filter): Pair | undefined {
  if (!('field' in filter) || filter.operator in opposites) {
    const text = condition(filter)
    return text === undefined ? undefined : [text, '']
  }
  const { field, operator, value } = filter
  if (isEmpty(filter)) return undefined
  if (operator === 'null' || operator === 'nnull') {
    return [`${field}__isnull`, String(operator === 'null')]
  }
  const text = Array.isArray(value) ? listOf(value) : plain(String(value))
  return [`${field}__${operatorOf(operator)}`, text]
}

/** Converts a filter inside a group. */
function condition(filter: Filter): string | undefined {
  if (!('field' in filter)) {
    const parts = filter.value.map(condition).filter((one) => one !== undefined)
    return parts.length === 0 ? undefined : `${filter.operator}[${parts.join(',')}]`
  }
  const { field, operator, value } = filter
  if (isEmpty(filter)) return undefined
  if (operator === 'null' || operator === 'nnull') return `${field}__isnull=${operator === 'null'}`
  const text = Array.isArray(value) ? listOf(value) : quoted(String(value))
  const opposite = opposites[operator]
  return opposite === undefined
    ? `${field}__${operatorOf(operator)}=${text}`
    : `not[${field}__${opposite}=${text}]`
}

const isEmpty = ({ operator, value }: { readonly operator: string; readonly value: unknown }) =>
  !/^n?null$/.test(operator) && (value === undefined || value === null || value === '')

function operatorOf(operator: string): string {
  const own = operators[operator]
  if (own === undefined) throw new Error(`The API has no operator for "${operator}".`)
  return own
}
