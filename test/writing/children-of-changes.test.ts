/** Lists of children in PATCH and PUT: which of them change, are created, removed and kept, each by the rules of its own model. */
import {
  type AnyModel,
  belongsTo,
  defineModel,
  type HookArgs,
  hasMany,
  hasOne,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const generated = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const
const number = { type: 'integer' } as const

type Row = Readonly<Record<string, unknown>>

/** What the callbacks and policies of lines were called for. */
const calls: string[] = []

const Invoice = defineModel('Invoice', {
  columns: { id: generated, name, updated: { type: 'datetime', managed: 'updated' } },
  relations: {
    lines: hasMany('Line', 'invoice_id'),
    parts: hasMany('Part', 'invoice_id'),
    cover: hasOne('Cover', 'invoice_id'),
  },
  meta: { allowed_methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
})
const Line = defineModel('Line', {
  columns: {
    id: generated,
    invoice_id: number,
    position: number,
    text: name,
    total: { type: 'integer', readOnly: true, default: 0 },
    secret: { type: 'boolean', default: false },
  },
  unique: [['invoice_id', 'position']],
  relations: {
    invoice: belongsTo('Invoice', 'invoice_id'),
    notes: hasMany('Note', 'line_id'),
  },
  meta: {
    access_policy: {
      scope: { secret: { eq: false } },
      can_delete: ({ text }: Row) => {
        calls.push(`can_delete ${text}`)
        return text !== 'kept'
      },
      can_update: ({ text }: Row) => {
        calls.push(`can_update ${text}`)
        return text !== 'fixed'
      },
    },
    update_callback: (line: Row) => ({ ...line, total: Number(line.position) * 10 }),
  },
})
const Note = defineModel('Note', {
  columns: { id: generated, line_id: number, text: name },
  relations: { line: belongsTo('Line', 'line_id') },
  meta: {},
})
/** The client chooses the second part of the key. */
const Part = defineModel('Part', {
  columns: {
    invoice_id: { type: 'integer', primaryKey: true },
    code: { ...name, primaryKey: true },
    count: number,
  },
  relations: { invoice: belongsTo('Invoice', 'invoice_id') },
  meta: {},
})
const Cover = defineModel('Cover', {
  columns: { id: generated, invoice_id: { type: 'integer', unique: true }, text: name },
  relations: { invoice: belongsTo('Invoice', 'invoice_id') },
  meta: {},
})

const models: readonly AnyModel[] = [Invoice, Line, Note, Part, Cover]
const config = {
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
} as const

eachDatabase('children in a change', (test, db) => {
  const api = testApi(db, models, config)
  const all = async (table: string, ...columns: readonly string[]): Promise<unknown[][]> => {
    const rows = await db.kysely.selectFrom(table).selectAll().execute()
    return rows
      .map((row: Row) => columns.map((column) => row[column]))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  const lines = () => all('lines', 'id', 'invoice_id', 'position', 'text')
  const ask = async (method: string, url: string, body: unknown, of = api): Promise<unknown[]> => {
    const { status, errors } = await send(of, method, url, { body })
    return errors === null ? [status] : [status, errors.code, errors.reason]
  }
  const patch = (url: string, body: unknown) => ask('PATCH', url, body)

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of ['notes', 'parts', 'covers', 'lines', 'invoices']) {
      await db.kysely.deleteFrom(table).execute()
    }
    const updated = '2020-01-01 00:00:00'
    await insertRows(db, Invoice, [
      { id: 901, name: 'one', updated },
      { id: 902, name: 'two', updated },
    ])
    const line = { secret: false, total: 0 }
    await insertRows(db, Line, [
      { ...line, id: 911, invoice_id: 901, position: 1, text: 'a' },
      { ...line, id: 912, invoice_id: 901, position: 2, text: 'b' },
      { ...line, id: 913, invoice_id: 901, position: 3, text: 'hidden', secret: true },
      { ...line, id: 921, invoice_id: 902, position: 1, text: 'c' },
    ])
    await insertRows(db, Part, [
      { invoice_id: 901, code: 'x', count: 1 },
      { invoice_id: 901, code: 'y', count: 2 },
      { invoice_id: 902, code: 'x', count: 3 },
    ])
    calls.splice(0)
  })
  const hidden = [913, 901, 3, 'hidden']
  const other = [921, 902, 1, 'c']

  test('with a key change that child, without create one, and leave the others', async () => {
    equal(
      await patch('/api/invoices/901', {
        lines: [
          { id: 912, text: 'B' },
          { position: 9, text: 'n' },
        ],
      }),
      [200],
    )
    const stored = await lines()
    const isNew = ([id]: readonly unknown[]): boolean => ![911, 912, 913, 921].includes(Number(id))
    equal(
      stored.filter((line) => !isNew(line)),
      [[911, 901, 1, 'a'], [912, 901, 2, 'B'], hidden, other],
    )
    equal(stored.find(isNew)?.slice(1), [901, 9, 'n'])
    // The callback of the child has set its total.
    const { total } = await db.kysely
      .selectFrom('lines')
      .select('total')
      .where('id', '=', 912)
      .executeTakeFirstOrThrow()
    equal(total, 20)
  })

  test('change none if the list is omitted, or is the URL of the relation', async () => {
    const { value } = await send(api, 'GET', '/api/invoices/901')
    for (const method of ['PATCH', 'PUT'] as const) {
      equal(await ask(method, '/api/invoices/901', { name: 'new' }), [200])
      equal(await ask(method, '/api/invoices/901', { name: 'new', lines: value.lines }), [200])
    }
    equal((await lines()).length, 4)
  })

  test('of another parent, hidden and missing ones are 422 alike', async () => {
    for (const id of [921, 913, 999]) {
      equal(
        await patch('/api/invoices/901', {
          name: 'x',
          lines: [
            { id: 911, text: 'A' },
            { id, text: 'X' },
          ],
        }),
        [422, 'missing_reference', { 'lines[1].id': ['No such record.'] }],
      )
    }
    equal((await lines()).slice(0, 4), [[911, 901, 1, 'a'], [912, 901, 2, 'b'], hidden, other])
    equal((await all('invoices', 'name')).flat(), ['one', 'two'])
  })

  test('that the list does not name are removed with on_missing, through their policy', async () => {
    const url = '/api/invoices/901?lines.on_missing=remove'
    equal(await patch(url, { lines: [{ id: 912, position: 1 }] }), [200])
    // The hidden one stays; the first one was removed before its position was taken.
    equal(await lines(), [[912, 901, 1, 'b'], hidden, other])
    ok(calls.includes('can_delete a'))
    await db.kysely.updateTable('lines').set({ text: 'kept' }).where('id', '=', 912).execute()
    equal((await patch(url, { lines: [] }))[0], 403)
    equal(await lines(), [[912, 901, 1, 'kept'], hidden, other])
    equal((await patch('/api/invoices/901?lines.on_missing=keep', { lines: [] }))[0], 200)
    equal((await lines()).length, 3)
  })

  test('that other records refer to are not removed, and the error names their list', async () => {
    await insertRows(db, Note, [{ id: 931, line_id: 921, text: 'n' }])
    const reason = (path: string) => ({ [path]: ['Other records refer to this one: notes.'] })
    const [one, many] = ['/api/invoices/902', '/api/invoices']
    equal(await patch(`${one}?lines.on_missing=remove`, { lines: [] }), [
      409,
      'referred_to',
      reason('lines'),
    ])
    const list = [901, 902].map((id) => ({ id, lines: [] }))
    equal(await patch(`${many}?lines.on_missing=remove`, list), [
      409,
      'referred_to',
      reason('[1].lines'),
    ])
    equal((await lines()).length, 4)
  })

  test('of a PUT are the whole list', async () => {
    equal(
      await ask('PUT', '/api/invoices/901', { name: 'p', lines: [{ id: 911, text: 'A' }] }),
      [200],
    )
    equal(await lines(), [[911, 901, 1, 'A'], hidden, other])
    equal(await ask('PUT', '/api/invoices/901', { name: 'p', lines: [] }), [200])
    equal(await lines(), [hidden, other])
  })

  test('with keys that clients choose are changed or created', async () => {
    const body = {
      parts: [
        { code: 'y', count: 7 },
        { code: 'z', count: 8 },
      ],
    }
    equal(await patch('/api/invoices/901', body), [200])
    const parts = () => all('parts', 'invoice_id', 'code', 'count')
    equal(await parts(), [
      [901, 'x', 1],
      [901, 'y', 7],
      [901, 'z', 8],
      [902, 'x', 3],
    ])
    equal(
      await patch('/api/invoices/901?parts.on_missing=remove', {
        parts: [{ code: 'x', count: 0 }],
      }),
      [200],
    )
    equal(await parts(), [
      [901, 'x', 0],
      [902, 'x', 3],
    ])
    // A new one needs all of its fields, a change only those that it sends.
    equal(await patch('/api/invoices/901', { parts: [{ code: 'x' }, { code: 'new' }] }), [
      400,
      'validation_failed',
      { 'parts[1].count': ['This field is required.'] },
    ])
  })

  test('have problems by path, and are refused twice in one list', async () => {
    const wrong = [
      { id: 911, text: 5 },
      { id: 911, text: 'b' },
      { text: 'no position' },
      { id: 912, id_: 1 },
    ]
    equal(await patch('/api/invoices/901', { lines: wrong }), [
      400,
      'validation_failed',
      {
        'lines[0].text': ['Expected a string.'],
        'lines[2].position': ['This field is required.'],
        'lines[3].id_': ['Unknown field "id_". Did you mean "id"?'],
        'lines[1]': ['The list changes this record twice.'],
      },
    ])
    const number = 'Expected a whole number between -9007199254740991 and 9007199254740991.'
    equal(await patch('/api/invoices/901', { lines: [{ id: 911, position: 'x' }, { id: 911 }] }), [
      400,
      'validation_failed',
      {
        'lines[0].position': [number],
        'lines[1]': ['The list changes this record twice.'],
      },
    ])
    equal(await patch('/api/invoices/901', { cover: { text: 'x' } }), [
      400,
      'validation_failed',
      { cover: ['Omit "cover" of an existing record; write to its own endpoint, covers.'] },
    ])
    const upsert = { id: 901, name: 'x', lines: [{ position: 7 }] }
    equal(await ask('POST', '/api/invoices?on_conflict=id', upsert), [
      400,
      'validation_failed',
      {
        lines: [
          'Omit "lines" here, because the record may exist already; send it in a PATCH of the record, or write to its own endpoint, lines.',
        ],
      },
    ])
  })

  test('may be sent back as they were read', async () => {
    const { value } = await send(api, 'GET', '/api/invoices/901?dump=json')
    equal(
      value.lines.map((line: Row) => line.id),
      [911, 912],
    )
    const before = await all('lines', 'id', 'total', 'text')
    equal(await patch('/api/invoices/901', { lines: value.lines }), [200])
    equal(await all('lines', 'id', 'total', 'text'), [
      [911, 10, 'a'],
      [912, 20, 'b'],
      ...before.slice(2),
    ])
    const [line] = value.lines
    equal(await patch('/api/invoices/901', { lines: [{ ...line, total: 99, invoice_id: 902 }] }), [
      400,
      'validation_failed',
      {
        'lines[0].total': ['This field is read-only.'],
        'lines[0].invoice_id': ['This field cannot be changed here.'],
      },
    ])
  })

  test('to every depth', async () => {
    const body = { lines: [{ id: 911, notes: [{ text: 'n1' }, { text: 'n2' }] }] }
    equal(await patch('/api/invoices/901', body), [200])
    const [first, second] = (await all('notes', 'id', 'line_id', 'text')) as [
      number,
      number,
      string,
    ][]
    equal(
      [first?.slice(1), second?.slice(1)],
      [
        [911, 'n1'],
        [911, 'n2'],
      ],
    )
    const again = { lines: [{ id: 911, notes: [{ id: first?.[0], text: 'N' }] }] }
    equal(await patch('/api/invoices/901?lines.notes.on_missing=remove', again), [200])
    equal(await all('notes', 'id', 'text'), [[first?.[0], 'N']])
    const below = { lines: [{ id: 912, notes: [{ id: first?.[0], text: 'X' }] }] }
    equal(await patch('/api/invoices/901', below), [
      422,
      'missing_reference',
      { 'lines[0].notes[0].id': ['No such record.'] },
    ])
  })

  test('ask the policies of their model, and store nothing if one refuses', async () => {
    await db.kysely.updateTable('lines').set({ text: 'fixed' }).where('id', '=', 912).execute()
    const body = {
      name: 'x',
      lines: [
        { id: 911, text: 'A' },
        { id: 912, text: 'B' },
      ],
    }
    equal((await patch('/api/invoices/901', body))[0], 403)
    equal(
      (await lines()).map(([, , , text]) => text),
      ['a', 'fixed', 'hidden', 'c'],
    )
    const readOnly = testApi(
      db,
      [Invoice, { ...Line, meta: { allowed_methods: ['GET'] } } as AnyModel, Note, Part, Cover],
      config,
    )
    equal(
      (await ask('PATCH', '/api/invoices/901', { lines: [{ id: 911, text: 'A' }] }, readOnly))[0],
      403,
    )
    equal(
      (
        await ask('PATCH', '/api/invoices/901', { lines: [{ position: 8, text: 'A' }] }, readOnly)
      )[0],
      403,
    )
    equal((await ask('PUT', '/api/invoices/901', { name: 'x', lines: [] }, readOnly))[0], 403)
  })

  test('set the time of the change of their parent', async () => {
    const time = async () => String((await all('invoices', 'updated'))[0])
    const before = await time()
    equal(await patch('/api/invoices/901', { lines: [{ id: 911, text: 'a' }] }), [200])
    const own = async (body: unknown, url = '/api/invoices/901') => {
      await db.kysely.updateTable('invoices').set({ updated: '2020-01-01 00:00:00' }).execute()
      const { etag: old } = (await send(api, 'GET', '/api/invoices/901')).headers
      equal(await patch(url, body), [200])
      const { etag } = (await send(api, 'GET', '/api/invoices/901')).headers
      return old !== etag
    }
    ok(before !== '')
    equal(await own({ lines: [{ id: 911, text: 'new' }] }), true)
    equal(await own({ lines: [{ position: 7, text: 'new' }] }), true)
    equal(await own({ lines: [{ id: 911 }] }, '/api/invoices/901?lines.on_missing=remove'), true)
  })

  test('in a list of changes, by filters and in a batch', async () => {
    const changes = [
      {
        id: 901,
        lines: [
          { id: 911, text: 'A' },
          { position: 7, text: 'n' },
        ],
      },
      { id: 902, lines: [{ id: 921, text: 'C' }] },
    ]
    equal(await patch('/api/invoices', changes), [200])
    equal((await lines()).map(([, , , text]) => text).sort(), ['A', 'C', 'b', 'hidden', 'n'])
    equal(
      await patch('/api/invoices', [
        { id: 901, lines: [{ id: 911, text: 'B' }] },
        { id: 902, lines: [{ id: 911, text: 'X' }] },
      ]),
      [422, 'missing_reference', { '[1].lines[0].id': ['No such record.'] }],
    )
    equal(
      await patch('/api/invoices?id__in=(901,902)', { parts: [{ code: 'new', count: 1 }] }),
      [200],
    )
    equal(
      (await all('parts', 'invoice_id', 'code')).filter(([, code]) => code === 'new'),
      [
        [901, 'new'],
        [902, 'new'],
      ],
    )
    const lists = [
      { id: 901, parts: [] },
      { id: 902, parts: [{ code: 'x' }] },
    ]
    equal(await patch('/api/invoices?parts.on_missing=remove', lists), [200])
    equal(await all('parts', 'invoice_id', 'code', 'count'), [[902, 'x', 3]])
    const operations = [
      {
        id: 'a',
        method: 'POST',
        url: '/api/invoices',
        body: { name: 'b', lines: [{ position: 1, text: 'x' }] },
      },
      {
        method: 'PATCH',
        url: '/api/invoices/{a.id}?lines.on_missing=remove',
        body: { lines: [{ position: 2, text: 'y' }] },
      },
    ]
    equal((await send(api, 'POST', '/api/batch', { body: { operations } })).status, 200)
    const made = (await lines()).filter(([, invoice]) => invoice !== 901 && invoice !== 902)
    equal(
      made.map(([, , position, text]) => [position, text]),
      [[2, 'y']],
    )
  })

  test('a hook of a child finds the earlier ones stored', async () => {
    const seen: number[] = []
    const own = testApi(
      db,
      [
        Invoice,
        {
          ...Line,
          meta: {
            update_callback: async (line: Row, _: unknown, args: HookArgs) => {
              const rows = await args.db
                .selectFrom('lines')
                .select('id')
                .where('text', '=', 'Z')
                .execute()
              seen.push(rows.length)
              return line
            },
          },
        } as AnyModel,
        Note,
        Part,
        Cover,
      ],
      config,
    )
    const body = { lines: [911, 912].map((id) => ({ id, text: 'Z' })) }
    equal(await ask('PATCH', '/api/invoices/901', body, own), [200])
    equal(seen, [0, 1])
  })

  test('only where a list has children', async () => {
    for (const [url, body] of [
      ['/api/invoices/901?cover.on_missing=remove', {}],
      ['/api/invoices/901?none.on_missing=remove', {}],
      ['/api/invoices/901?lines.on_missing=drop', {}],
      ['/api/lines/911?invoice.on_missing=remove', {}],
    ] as const) {
      equal((await patch(url, body))[0], 400)
    }
    equal((await ask('POST', '/api/invoices?lines.on_missing=remove', { name: 'x' }))[0], 400)
    equal((await ask('PUT', '/api/invoices/901?lines.on_missing=keep', { name: 'x' }))[0], 400)
    equal((await send(api, 'GET', '/api/invoices?lines.on_missing=remove')).status, 400)
  })
})
