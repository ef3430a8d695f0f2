/** Chinook, introspected and served from every database: the same tables, relations and rows. */
import { type Api, createApi, type JsonValue } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachChinook } from '../support/chinook.ts'

type Row = Readonly<Record<string, JsonValue>>

const rows = {
  albums: 347,
  artists: 275,
  customers: 59,
  employees: 8,
  genres: 25,
  invoices: 412,
  'invoice-lines': 2240,
  'media-types': 5,
  playlists: 18,
  tracks: 3503,
}

/** The scripts of SQLite and MySQL have names in Pascal case, that of PostgreSQL in snake case. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

/**
 * Two texts differ after loading: a server drops the space at the end of a city written N'…', another treats the backslash in a
 * title as an escape.
 */
const sameText = (value: JsonValue): JsonValue =>
  typeof value === 'string' ? value.replaceAll('\\', '').trim() : value

/** The responses of the first database, by request; those of the others must be the same. */
const first = new Map<string, unknown>()

function sameEverywhere(request: string, value: unknown): void {
  if (!first.has(request)) first.set(request, value)
  const expected = first.get(request)
  if (Array.isArray(value) && Array.isArray(expected)) {
    equal(value.length, expected.length)
    // Row by row, so that a failure shows one row instead of two lists of thousands.
    for (const [index, row] of value.entries()) equal(row, expected[index], request)
  } else equal(value, expected, request)
}

eachChinook('Chinook', (test, db) => {
  let found: Introspection
  let api: Api
  const snake = (request: string): string =>
    request.replace(/[A-Z][A-Za-z]+/g, (name) =>
      name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
    )
  const get = async (request: string) => {
    const url = `/api/${db.name === 'postgres' ? snake(request) : request}`
    const { status, body } = await api.handle({ method: 'GET', url })
    equal(status, 200, `${url}: ${JSON.stringify(body?.errors)}`)
    const value = (body?.value ?? []) as readonly Row[] | Row
    return { value, total: body?.total_count, next: body?.next_url }
  }
  const renamed = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [plain(name), sameText(value)]))

  test.before(async () => {
    found = await introspect(db.kysely)
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    api = createApi({ db: db.kysely, models, config: { API_ALLOW_JOIN: true } })
    await api.ready
  })

  test('has ten models and one junction', () => {
    equal(
      api.registry.resources.map((resource) => resource.endpoint).sort(),
      Object.keys(rows).sort(),
    )
    equal(
      found.leftOut.map(({ table, reason }) => [plain(table), reason]),
      [['playlisttrack', 'junction of Playlist and Track']],
    )
    equal(found.notes, [])
  })

  test('has the same columns and keys on every database', () => {
    const columns = found.models.map((model) => [
      model.name,
      Object.entries(model.columns).map(([name, { collation: _, ...column }]) => [
        plain(name),
        column,
      ]),
    ])
    sameEverywhere('columns', columns)
  })

  test('has relations in both directions', () => {
    const relations = found.models.map((model) => [
      model.name,
      Object.entries(model.relations).map(([name, { kind, target }]) => [
        // A relation cannot have the name of a column, which it would have if the column is reports_to.
        name.replace('reports_to_employee', 'reports_to'),
        kind,
        target,
      ]),
    ])
    sameEverywhere('relations', relations)
  })

  for (const [endpoint, count] of Object.entries(rows)) {
    test(`${endpoint}: ${count} rows, page by page in the order of their key`, async () => {
      const all: Row[] = []
      for (let page = 1; ; page++) {
        const { value, total, next } = await get(
          `${endpoint}?dump_relationships=false&limit=100&page=${page}`,
        )
        equal(total, count)
        all.push(...(value as readonly Row[]))
        if (next === null) break
      }
      equal(all.length, count)
      sameEverywhere(endpoint, all.map(renamed))
    })
  }

  for (const request of [
    'tracks?Milliseconds__between=(100000,120000)&order_by=-Milliseconds',
    'tracks?or[UnitPrice__gt=1.5,Bytes__isnull=true]&order_by=Bytes&limit=50',
    'tracks?Composer__isnull=true&AlbumId__in=(1,2,3,9)&order_by=-TrackId',
    'tracks?Name__ilike=rock&order_by=TrackId&limit=100',
    'tracks?not[GenreId__eq=1,MediaTypeId__eq=1]&limit=100',
    'invoices?InvoiceDate__ge=2009-03-01&InvoiceDate__lt=2009-04-01',
    'invoices?Total__ge=13.86&order_by=-Total,InvoiceDate',
    'employees?order_by=-BirthDate',
    'artists/1/albums',
    'artists/90/albums?order_by=-AlbumId&limit=3',
    'playlists/1/tracks?limit=100&page=3',
    'tracks/1/playlists',
    'albums/1/tracks?order_by=-UnitPrice,TrackId',
    'customers/1/invoices?order_by=-Total',
    'tracks?exists(invoice_lines.Quantity__ge=1)&limit=100',
    'artists?missing(albums)&limit=100',
    'tracks?join=album&limit=30&order_by=-AlbumId',
  ]) {
    test(`the same response on every database: ${request}`, async () => {
      const { value, total } = await get(
        `${request}${request.includes('?') ? '&' : '?'}dump_relationships=false`,
      )
      sameEverywhere(request, { total, rows: (value as readonly Row[]).map(renamed) })
    })
  }

  test('the relations of one record can be followed', async () => {
    const { value } = await get('tracks/1')
    const row = value as Row
    equal(row.album, '/api/tracks/1/album')
    equal(row.playlists, '/api/tracks/1/playlists')
    const { value: manager } = await get('employees/3/reports-to?dump_relationships=false').catch(
      () => get('employees/3/reports-to-employee?dump_relationships=false'),
    )
    sameEverywhere('manager', renamed(manager as Row))
    equal(renamed(manager as Row).firstname, 'Nancy')
  })
})
