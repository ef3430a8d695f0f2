/** A write reads only the columns of stored records that it needs: not a large text that no hook, check or response wants. */
import {
  type AccessPolicy,
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { withMeta } from '../support/expect.ts'
import type { Statement } from '../support/statements.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const
const body = { type: 'text', nullable: true } as const

const softDelete = {
  soft_delete: true,
  soft_delete_attribute: 'gone',
  soft_delete_values: [false, true],
} as const

const models = [
  defineModel('Folder', {
    columns: { id, name: { type: 'string', maxLength: 20, unique: true }, body },
    relations: { notes: hasMany('Note', 'folder_id') },
    meta: {},
  }),
  defineModel('Note', {
    columns: {
      id,
      folder_id: key,
      parent_id: key,
      title: { type: 'string', maxLength: 20, nullable: true },
      price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
      secret: { type: 'text', nullable: true, hidden: true },
      body,
      updated_at: { type: 'datetime', nullable: true, managed: 'updated' },
    },
    relations: {
      folder: belongsTo('Folder', 'folder_id'),
      parent: belongsTo('Note', 'parent_id'),
      comments: hasMany('Comment', 'note_id'),
      tags: manyToMany('Tag', { through: 'note_tags', from: 'note_id', to: 'tag_id' }),
      readers: manyToMany('Reader', { through: 'readings', from: 'note_id', to: 'reader_id' }),
    },
    meta: {},
  }),
  defineModel('Comment', {
    columns: { id, note_id: key, body },
    relations: { note: belongsTo('Note', 'note_id') },
    meta: {},
  }),
  defineModel('Tag', {
    columns: { id, body },
    relations: {
      notes: manyToMany('Note', { through: 'note_tags', from: 'tag_id', to: 'note_id' }),
    },
    meta: {},
  }),
  defineModel('Reader', { columns: { id, body }, relations: {}, meta: {} }),
  defineModel('Reading', {
    columns: { id: { ...id, generated: true }, note_id: key, reader_id: key, body },
    relations: { note: belongsTo('Note', 'note_id'), reader: belongsTo('Reader', 'reader_id') },
    meta: {},
  }),
  defineModel('Draft', {
    columns: {
      id,
      folder_id: key,
      title: { type: 'string', maxLength: 20, nullable: true },
      body,
      gone: { type: 'boolean' },
    },
    relations: { pages: hasMany('Page', 'draft_id') },
    meta: softDelete,
  }),
  defineModel('Page', {
    columns: { id, draft_id: key, body, gone: { type: 'boolean' } },
    relations: { draft: belongsTo('Draft', 'draft_id') },
    meta: softDelete,
  }),
] as readonly AnyModel[]

const config: ApiConfig = {
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_CASCADE_DELETE: true,
}

const minimal = { prefer: 'return=minimal' }

const always = (): boolean => true
const same = <T>(record: T): T => record

/** What the models have beside their columns, and the policy of the API. */
interface Hooks {
  readonly note?: object
  readonly comment?: object
  readonly draft?: object
  readonly policy?: AccessPolicy
}

/** A write, and how many of its statements read a column `body`. */
interface Write {
  readonly what: string
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly status?: number
  readonly reads: number
}

const readsBody = ({ sql }: Statement): boolean => {
  const select = /^(?:set statement .*? for )?(select .*?) from /s
  const [, read = ''] = select.exec(sql) ?? / returning (.*)$/s.exec(sql) ?? []
  return /\bbody\b/.test(read)
}

/** The writes of which no statement needs the text of a record. */
const writes: readonly Write[] = [
  {
    what: 'PATCH by a filter',
    method: 'PATCH',
    url: 'notes?id__le=2',
    body: { title: 'b' },
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH by a filter of a relation',
    method: 'PATCH',
    url: 'notes?join=comments&comments.id__le=2',
    body: { title: 'b' },
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH of the text by a filter',
    method: 'PATCH',
    url: 'notes?id__le=2',
    body: { body: 'b' },
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH by a filter, with the ids in the response',
    method: 'PATCH',
    url: 'notes?id__le=2&fields=id',
    body: { title: 'b' },
    reads: 0,
  },
  {
    what: 'PATCH by a filter, with the records in the response',
    method: 'PATCH',
    url: 'notes?id__le=2',
    body: { title: 'b' },
    reads: 1,
  },
  {
    what: 'PATCH by a filter, with a relation',
    method: 'PATCH',
    url: 'notes?id__le=2',
    body: { folder: { id: 1 } },
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH by a filter, with links',
    method: 'PATCH',
    url: 'notes?id__le=2',
    body: { tags: [{ id: 1 }, { id: 2 }] },
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH of a list',
    method: 'PATCH',
    url: 'notes',
    body: [
      { id: 1, price: '1.00' },
      { id: 2, title: 'b' },
    ],
    headers: minimal,
    reads: 0,
  },
  {
    what: 'PATCH of a list, with the ids in the response',
    method: 'PATCH',
    url: 'notes?fields=id',
    body: [
      { id: 1, price: '1.00' },
      { id: 2, title: 'b' },
    ],
    reads: 0,
  },
  {
    what: 'POST of a list, with the ids in the response',
    method: 'POST',
    url: 'comments?fields=id',
    body: [
      { id: 11, note_id: 1 },
      { id: 12, note_id: 1 },
    ],
    status: 201,
    reads: 0,
  },
  {
    what: 'upsert of a list, with the ids in the response',
    method: 'POST',
    url: 'notes?on_conflict=id&fields=id',
    body: [
      { id: 1, title: 'b' },
      { id: 11, title: 'b' },
    ],
    status: 201,
    reads: 0,
  },
  {
    what: 'DELETE by a filter',
    method: 'DELETE',
    url: 'comments?id__le=2',
    reads: 0,
  },
  {
    what: 'DELETE by a filter, with dependents and links',
    method: 'DELETE',
    url: 'notes?id__le=2&cascade_delete=1',
    reads: 0,
  },
  {
    what: 'DELETE of a record, with dependents of dependents',
    method: 'DELETE',
    url: 'folders/1?cascade_delete=1',
    reads: 0,
  },
  {
    what: 'DELETE of a record to which none refers',
    method: 'DELETE',
    url: 'notes/3',
    reads: 0,
  },
  {
    what: 'soft DELETE by a filter',
    method: 'DELETE',
    url: 'drafts?id__le=2',
    reads: 0,
  },
  {
    what: 'soft DELETE by a filter, with dependents',
    method: 'DELETE',
    url: 'drafts?id__le=2&cascade_delete=1',
    reads: 0,
  },
  {
    what: 'restore, of which only the response has the text',
    method: 'POST',
    url: 'drafts/3/restore',
    headers: minimal,
    reads: 1,
  },
  {
    what: 'PATCH if no version is named, of which only the response has the text',
    method: 'PATCH',
    url: 'notes/1',
    body: { title: 'b' },
    headers: { 'if-match': '*', ...minimal },
    reads: 1,
  },
  {
    what: 'PATCH if a version matches, of which the look-up computes the ETag',
    method: 'PATCH',
    url: 'notes/1',
    body: { title: 'b' },
    headers: { 'if-none-match': '"other"', ...minimal },
    reads: 2,
  },
  {
    what: 'PUT with a relation, of which only the response has the text',
    method: 'PUT',
    url: 'notes/1',
    body: { title: 'b', folder: { id: 1 } },
    headers: minimal,
    reads: 1,
  },
  {
    what: 'POST that moves children, of which only the response has the text',
    method: 'POST',
    url: 'folders?fields=id',
    body: { id: 3, name: 'c', notes: [{ id: 1 }, { id: 2 }] },
    headers: minimal,
    status: 201,
    reads: 1,
  },
  {
    what: 'PATCH that replaces records of links, of which only the response has the text',
    method: 'PATCH',
    url: 'notes/1?fields=id',
    body: { readers: [{ id: 2 }] },
    headers: minimal,
    reads: 1,
  },
]

/** By the name of a write: the functions of the host that receive its records, and the statements that then read a column `body`. */
const whole: Readonly<Record<string, readonly [hooks: Hooks, reads: number]>> = {
  'PATCH by a filter': [{ policy: { can_update: always } }, 1],
  'PATCH by a filter of a relation': [{ note: { update_callback: same } }, 1],
  'PATCH by a filter, with links': [{ policy: { can_update: always } }, 1],
  'PATCH of a list': [{ note: { update_callback: same } }, 1],
  'DELETE by a filter': [{ policy: { can_delete: always } }, 1],
  'DELETE by a filter, with dependents and links': [{ comment: { remove_callback: same } }, 1],
  'DELETE of a record, with dependents of dependents': [{ policy: { can_delete: always } }, 5],
  'DELETE of a record to which none refers': [{ note: { remove_callback: same } }, 1],
  'soft DELETE by a filter': [{ draft: { soft_delete_values: [false, () => true] } }, 1],
  'soft DELETE by a filter, with dependents': [{ policy: { can_delete: always } }, 2],
  'restore, of which only the response has the text': [{ policy: { can_update: always } }, 2],
  'PUT with a relation, of which only the response has the text': [
    { note: { put_update_callback: same } },
    2,
  ],
  'POST that moves children, of which only the response has the text': [
    { policy: { can_update: always } },
    2,
  ],
  'PATCH that replaces records of links, of which only the response has the text': [
    { policy: { can_delete: always } },
    2,
  ],
}

eachDatabase('the columns that a write reads', (test, db) => {
  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of ['note_tags', 'readings', 'comments', 'pages']) {
      await db.kysely.deleteFrom(table).execute()
    }
    await db.kysely.updateTable('notes').set({ parent_id: null }).execute()
    for (const table of ['notes', 'drafts', 'tags', 'readers', 'folders']) {
      await db.kysely.deleteFrom(table).execute()
    }
    const [Folder, Note, Comment, Tag, Reader, Reading, Draft, Page] = models as AnyModel[]
    const text = { body: 'long' }
    const rows = [
      [
        Folder,
        [
          { id: 1, name: 'a', ...text },
          { id: 2, name: 'b', ...text },
        ],
      ],
      [Note, [1, 2, 3].map((id) => ({ id, folder_id: 1, title: 'a', price: '2.00', ...text }))],
      [Comment, [1, 2, 3].map((id) => ({ id, note_id: id < 3 ? id : 1, ...text }))],
      [Tag, [1, 2].map((id) => ({ id, ...text }))],
      [Reader, [1, 2].map((id) => ({ id, ...text }))],
      [Reading, [1, 2].map((id) => ({ id: id + 100, note_id: id, reader_id: 1, ...text }))],
      [Draft, [1, 2, 3].map((id) => ({ id, title: 'a', gone: id === 3, ...text }))],
      [Page, [1, 2].map((id) => ({ id, draft_id: 1, gone: false, ...text }))],
    ] as const
    for (const [model, some] of rows) await insertRows(db, model as AnyModel, some)
    await insertLinks(db, 'note_tags', [{ note_id: 1, tag_id: 1 }])
  })

  /** The number of statements of a write that read a column `body`. */
  const readsOf = async (api: Api, { method, url, body, headers, status }: Write) => {
    const { result, statements } = await db.capture(() =>
      send(api, method, `/api/${url}`, {
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      }),
    )
    const expected = status ?? (headers?.prefer === undefined ? 200 : 204)
    equal(result.status, expected, result.text)
    return statements.filter(readsBody).map(({ sql }) => sql)
  }

  const plain = testApi(db, models, config)
  for (const write of writes) {
    test(write.what, async () => {
      const reads = await readsOf(plain, write)
      equal(reads.length, write.reads, reads.join('\n'))
    })
  }

  for (const [what, [{ policy, ...metas }, reads]] of Object.entries(whole)) {
    test(`${what}, if a function of the host receives the records`, async () => {
      let own = models
      for (const [name, meta] of Object.entries(metas)) {
        const known = name === 'draft' ? softDelete : {}
        own = withMeta(own, `${name[0]?.toUpperCase()}${name.slice(1)}`, { ...known, ...meta })
      }
      const api = testApi(db, own, { ...config, ...(policy && { API_ACCESS_POLICY: policy }) })
      const write = writes.find((one) => one.what === what) as Write
      const read = await readsOf(api, write)
      equal(read.length, reads, read.join('\n'))
    })
  }

  test('with API_AFTER_COMMIT_CALLBACK, the changes have the whole records', async () => {
    const seen: unknown[] = []
    const api = testApi(db, models, {
      ...config,
      API_AFTER_COMMIT_CALLBACK: (changes) => {
        for (const { before, after } of changes) seen.push([before?.body, after?.body])
      },
    })
    await send(api, 'PATCH', '/api/notes?id__le=2', { body: { title: 'b' } })
    await send(api, 'DELETE', '/api/comments?id__le=2')
    equal(seen, [
      ['long', 'long'],
      ['long', 'long'],
      ['long', undefined],
      ['long', undefined],
    ])
  })

  test('a validator of the whole record receives every column', async () => {
    const seen: unknown[] = []
    const Checked = defineModel('Note', {
      table: 'notes',
      columns: {
        id,
        title: {
          type: 'string',
          maxLength: 20,
          nullable: true,
          validator: (_: unknown, note: { readonly body?: string | null }) => {
            seen.push(note.body)
            return true
          },
        },
        body,
      },
      meta: {},
    })
    const api = testApi(db, [Checked], config)
    await send(api, 'PATCH', '/api/notes?id__le=2', { body: { title: 'b' } })
    equal(seen, ['long', 'long'])
  })

  test('a record whose values stay the same keeps them, read or not', async () => {
    const stored = async () =>
      (await db.kysely.selectFrom('notes').selectAll().orderBy('id').execute()).map(
        ({ updated_at: _, ...note }) => note,
      )
    const before = await stored()
    const notes = [1, 2].map((id) => ({ id, title: 'a', price: '2.0', body: 'long' }))
    const { status } = await send(plain, 'PATCH', '/api/notes', { body: notes })
    equal(status, 200)
    const { id: _, ...note } = notes[0] as (typeof notes)[number]
    equal((await send(plain, 'PATCH', '/api/notes?id__gt=0', { body: note })).total, 3)
    equal(await stored(), before)
  })
})
