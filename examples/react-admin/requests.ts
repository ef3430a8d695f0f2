// Requests to the API for data providers: one page of a list, one record, writes, and errors with their problems by field.

/** How requests are sent, and which columns are the keys of resources. */
export interface Options {
  /** Headers of every request, such as the credential. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** The columns of keys that are not `id`: `{ countries: ['code'], holdings: ['branch_id', 'book_id'] }`. */
  readonly keys?: Readonly<Record<string, readonly string[]>>
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export type Row = Readonly<Record<string, unknown>>
export type Id = string | number

/** A page of a list, with the number of all matching records. */
export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
}

/** A failure, with messages by field if a body was refused. */
export class ApiFailure extends Error {
  readonly status: number
  /** The name that refine expects. */
  readonly statusCode: number
  readonly errors: Readonly<Record<string, string>>
  /** The member in which react-admin expects messages by field. */
  readonly body: { readonly errors: Readonly<Record<string, string>> }

  constructor(status: number, message: string, errors: Readonly<Record<string, string>>) {
    super(message)
    this.status = status
    this.statusCode = status
    this.errors = errors
    this.body = { errors }
  }
}

interface Envelope {
  readonly value: unknown
  readonly total_count?: number
  readonly errors: { readonly error: string; readonly reason?: unknown } | null
}

/** The largest page of the API (API_PAGINATION_SIZE_MAX). */
const largestPage = 100

export function createRequests(url: string, options: Options) {
  const { headers = () => ({}), keys = {}, fetch: send = fetch } = options

  async function request(method: string, path: string, body?: unknown): Promise<Envelope> {
    const response = await send(`${url}/${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const envelope = (await response.json()) as Envelope
    if (!response.ok) throw failure(response.status, envelope)
    return envelope
  }

  const keyOf = (resource: string): readonly string[] => keys[resource] ?? ['id']

  /** The record with a member `id`, which admin frameworks expect of every record. */
  function withId(resource: string, row: Row): Row {
    const [first = 'id', ...others] = keyOf(resource)
    const parts = [first, ...others].map((name) => encodeURIComponent(String(row[name])))
    return { ...row, id: others.length === 0 ? row[first] : parts.join(',') }
  }

  /** A composite key is encoded already. */
  const place = (resource: string, id: Id): string =>
    `${resource}/${keyOf(resource).length === 1 ? encodeURIComponent(id) : id}`

  const record = async (resource: string, method: string, path: string, body?: unknown) =>
    withId(resource, (await request(method, `${path}?dump_relationships=false`, body)).value as Row)

  const page = async (resource: string, query: readonly Pair[]): Promise<Page> => {
    const text = new URLSearchParams([
      ...query.map(([a, b]) => [a, b]),
      ['dump_relationships', 'false'],
    ])
    const { value, total_count: total } = await request('GET', `${resource}?${text}`)
    const rows = (value as readonly Row[]).map((row) => withId(resource, row))
    return { rows, total: total ?? rows.length }
  }

  return {
    keyOf,

    /** Returns the page `number` of `size` records; combines several pages if `size` is larger than the API allows. */
    async list(
      resource: string,
      query: readonly Pair[],
      number: number,
      size: number,
    ): Promise<Page> {
      const limit = largestDivisor(size)
      const first = ((number - 1) * size) / limit + 1
      const rows: Row[] = []
      for (let next = first; ; next++) {
        const at: readonly Pair[] = [
          ['page', String(next)],
          ['limit', String(limit)],
        ]
        const found = await page(resource, [...query, ...at])
        rows.push(...found.rows)
        if (found.rows.length < limit || rows.length >= size) return { rows, total: found.total }
      }
    },

    one: (resource: string, id: Id): Promise<Row> => record(resource, 'GET', place(resource, id)),

    async many(resource: string, ids: readonly Id[]): Promise<readonly Row[]> {
      const [key = 'id', ...others] = keyOf(resource)
      if (others.length > 0) {
        return Promise.all(ids.map((id) => record(resource, 'GET', place(resource, id))))
      }
      const parts = Array.from({ length: Math.ceil(ids.length / largestPage) }, (_, i) =>
        ids.slice(i * largestPage, (i + 1) * largestPage),
      )
      const pages = await Promise.all(
        parts.map((part) =>
          page(resource, [
            [`${key}__in`, listOf(part)],
            ['limit', String(largestPage)],
          ]),
        ),
      )
      return pages.flatMap(({ rows }) => rows)
    },

    create: (resource: string, data: object): Promise<Row> =>
      record(resource, 'POST', resource, data),

    /** Sends only the fields that differ from the record before the change, if that is known. */
    update: (resource: string, id: Id, data: object, before: object = {}): Promise<Row> =>
      record(resource, 'PATCH', place(resource, id), changes(resource, data, before)),

    async remove(resource: string, id: Id): Promise<void> {
      await request('DELETE', place(resource, id))
    },
  }

  function changes(resource: string, data: object, before: object): object {
    const made = keyOf(resource).includes('id') ? [] : ['id']
    const old = before as Row
    return Object.fromEntries(
      Object.entries(data).filter(
        ([name, value]) => !made.includes(name) && !same(value, old[name]),
      ),
    )
  }
}

/** A parameter of a query and its value. */
export type Pair = readonly [string, string]

/** `(1,2,"a, b")`: items with special characters are quoted. */
export const listOf = (values: readonly unknown[]): string =>
  `(${values.map((value) => quoted(String(value))).join(',')})`

/** A value inside a list or a group. */
export const quoted = (text: string): string =>
  /^[\w.:@-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`

/** The value of a parameter. A text that begins with a quote is quoted again, because the API would read it as a quoted text. */
export const plain = (text: string): string => (text.startsWith('"') ? quoted(text) : text)

const same = (a: unknown, b: unknown): boolean =>
  b !== undefined && JSON.stringify(a) === JSON.stringify(b)

function largestDivisor(size: number): number {
  for (let limit = Math.min(size, largestPage); limit > 1; limit--) {
    if (size % limit === 0) return limit
  }
  return 1
}

function failure(status: number, { errors }: Envelope): ApiFailure {
  const { error = 'Error', reason } = errors ?? {}
  if (typeof reason !== 'object' || reason === null) {
    return new ApiFailure(status, typeof reason === 'string' ? reason : error, {})
  }
  const problems = Object.entries(reason as Record<string, readonly string[]>)
  const byField = Object.fromEntries(problems.map(([path, texts]) => [path, texts.join(' ')]))
  return new ApiFailure(status, error, byField)
}
