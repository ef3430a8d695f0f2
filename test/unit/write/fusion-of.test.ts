/** Which writes of one record are one statement: a plain one is, and each listed condition requires the steps. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { parseQuery, planOne } from '@model-api/core/internals'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { Exclusion, Resource } from '../../../packages/core/src/model/registry/resource.ts'
import {
  type FusionFacts,
  fusionOf,
  maySet,
  type Reason,
} from '../../../packages/core/src/write/fusion/fusion-of.ts'
import type { OneRecord } from '../../../packages/core/src/write/fusion/one-record.ts'
import { withKeyAndTag } from '../../../packages/core/src/write/nodes/echo-plan.ts'
import type { RecordNode } from '../../../packages/core/src/write/nodes/node.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const Author = defineModel('Author', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string' },
    gone: { type: 'boolean', readOnly: false },
    author_id: { type: 'integer' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})
const Counted = defineModel('Counted', {
  table: 'authors',
  columns: { id: { type: 'integer', primaryKey: true } },
  // biome-ignore lint/suspicious/noExplicitAny: the expression builder is not looked at
  computed: { one: { type: 'integer', expression: (eb: any) => eb.val(1) } } as never,
  meta: {},
})

const Defaulted = defineModel('Defaulted', {
  table: 'authors',
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string', default: ({ model }) => model.name },
  },
  meta: {},
})

const Marked = defineModel('Marked', {
  table: 'books',
  columns: Book.columns,
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'gone',
    soft_delete_values: [false, () => true],
  },
})

const Made = defineModel('Made', {
  table: 'books',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string' },
    short: { type: 'string', generated: true },
  },
  meta: {},
})

const Edition = defineModel('Edition', {
  table: 'editions',
  columns: {
    id: { type: 'integer', primaryKey: true },
    book_id: { type: 'integer' },
    number: { type: 'integer' },
  },
  relations: { printed: belongsTo('Printed', ['book_id', 'number']) },
  meta: {},
})

const Printed = defineModel('Printed', {
  table: 'printed',
  columns: {
    book_id: { type: 'integer', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
  },
  meta: {},
})

const Note = defineModel('Note', {
  table: 'notes',
  columns: { id: { type: 'integer', primaryKey: true }, marked_id: { type: 'integer' } },
  relations: { marked: belongsTo('Marked', 'marked_id') },
  meta: {},
})

const models: readonly AnyModel[] = [
  Note,
  Author,
  Book,
  Counted,
  Defaulted,
  Marked,
  Made,
  Edition,
  Printed,
]
const { registry } = buildRegistry({
  models,
  config: { API_ALLOW_JOIN: true, API_ALLOW_SELECT_FIELDS: true },
})
const resourceOf = (name: string): Resource => registry.byName.get(name) as Resource
const book = resourceOf('Book')

const echoOf = (resource: Resource, query = '') =>
  withKeyAndTag(
    planOne(
      resource,
      parseQuery(query, {
        additional: [],
        limits: { conditions: limit, relationFilters: limit, aggregates: limit, list: limit },
      }),
      [],
      () => true,
    ),
    'one',
  )
const limit = { setting: 'none', value: 100 }

const node = (more: Partial<RecordNode> = {}): RecordNode => ({
  kind: 'record',
  resource: book,
  path: '',
  values: { title: 'Emma' },
  sentBack: { fields: {}, otherForms: {}, urls: {} },
  wholeRecordChecks: [],
  merges: [],
  parents: [],
  children: [],
  ...more,
})
const change: OneRecord = {
  change: 'update',
  resource: book,
  key: [1],
  record: node(),
  replace: false,
  hasPrecondition: false,
  cascade: false,
  echoPlan: echoOf(book),
  additional: [],
}
const removal: OneRecord = { ...change, change: 'delete', record: null, echoPlan: null }
const calm: FusionFacts = {
  transaction: false,
  policyHooks: false,
  callback: false,
  dependents: false,
  endsUsers: false,
  permitted: true,
  narrows: () => false,
  locksReferred: () => true,
  checksInUpdates: false,
  singleWrites: () => 'returned',
}

interface Remark {
  readonly write?: Partial<OneRecord>
  readonly around?: Partial<FusionFacts>
}
const sent = (more: Partial<RecordNode>): Remark => ({ write: { record: node(more) } })
const [relation] = book.relations.values()
const parents = [{ relation: relation as never, node: node() }]
const title = book.columns.get('title') as never

const exclusion: Exclusion = {
  declared: { period: ['published', 'withdrawn'] },
  equal: [],
  start: title,
  end: title,
  where: '',
  reads: new Set(['title']),
  followsOthers: false,
  parent: undefined,
}

const remarks: Readonly<Record<Reason, readonly Remark[]>> = {
  'it has a precondition': [{ write: { hasPrecondition: true } }],
  'a hook of the policy runs': [{ around: { policyHooks: true } }],
  'a callback runs': [{ around: { callback: true } }],
  'a rule compares the record with others': [
    { write: { resource: { ...book, exclusions: [exclusion] } } },
    {
      write: {
        ...sent({ values: { title: 'Emma' } }).write,
        resource: {
          ...book,
          exclusions: [{ ...exclusion, followsOthers: true, reads: new Set() }],
        },
      },
    },
  ],
  'the caller may not write or read the record': [{ around: { permitted: false } }],
  'what a user has may end with it': [{ around: { endsUsers: true } }],
  'the body has nested records': [
    sent({ parents }),
    sent({ children: [{ relation: relation as never, nodes: [] }] }),
  ],
  'fields of the body must equal the stored ones': [
    sent({ sentBack: { fields: { id: 1 }, otherForms: {}, urls: {} } }),
    sent({ sentBack: { fields: {}, otherForms: {}, urls: { author: null } } }),
  ],
  'a validator needs the whole record': [sent({ wholeRecordChecks: [title] })],
  'it merges documents into the stored ones': [sent({ merges: [title] })],
  'a policy may hide a referenced record': [
    {
      ...sent({ values: { author_id: 1 } }),
      around: { narrows: (target) => target.name === 'Author' },
    },
    // The body has only a part of the foreign key; a default of the database may set the rest.
    {
      write: {
        change: 'insert',
        resource: resourceOf('Edition'),
        record: node({ resource: resourceOf('Edition'), values: { book_id: 1 } }),
      },
      around: { narrows: (target) => target.name === 'Printed' },
    },
  ],
  'a referenced record cannot be locked': [
    {
      write: {
        change: 'insert',
        resource: resourceOf('Note'),
        record: node({ resource: resourceOf('Note'), values: { marked_id: 1 } }),
      },
      around: { locksReferred: (target) => target.name !== 'Marked' },
    },
  ],
  'the body changes no column': [sent({ values: {} })],
  'it changes the primary key': [sent({ values: { id: 2 } })],
  'a default is a function that may use the connection': [
    { write: { resource: resourceOf('Defaulted'), change: 'insert' } },
    { write: { resource: resourceOf('Defaulted'), replace: true } },
  ],
  'it sets the soft-delete attribute': [sent({ values: { gone: true } })],
  'the soft-delete value is a function': [
    { write: { ...removal, change: 'update', resource: resourceOf('Marked') } },
  ],
  'other records may refer to the record': [{ write: removal, around: { dependents: true } }],
  'the response shows more than the row': [
    { write: { echoPlan: echoOf(book, 'join=author') } },
    { write: { echoPlan: echoOf(book, 'dump=json') } },
    { write: { echoPlan: echoOf(resourceOf('Counted')) } },
  ],
  'the database does not support it': [
    { around: { singleWrites: undefined } },
    { around: { singleWrites: () => undefined } },
    // The settings of the driver decide how rows are counted by an UPDATE that marks a record.
    { write: { ...removal, change: 'update' }, around: { singleWrites: () => 'read' } },
  ],
}

suite('the fusion of a write', (test) => {
  const fusion = ({ write, around }: Remark = {}) =>
    fusionOf({ ...change, ...write }, { ...calm, ...around })

  test('a plain write is one statement, and returns or reads the row as the database allows', () => {
    const single = { kind: 'one statement', inTransaction: false, references: [] } as const
    equal(fusion(), { ...single, echo: 'returned' })
    equal(fusion({ around: { singleWrites: () => 'read' } }), { ...single, echo: 'read' })
    equal(fusion({ write: { change: 'insert' } }), { ...single, echo: 'returned' })
    equal(fusion({ write: removal }), { ...single, echo: 'returned' })
    const counted: Remark = { write: removal, around: { singleWrites: () => 'read' } }
    equal(fusion(counted), { ...single, echo: 'read' })
  })

  test('it is sent inside a transaction if the host has begun one, or a callback may undo the write', () => {
    const around = { transaction: true }
    const found = fusion({ around })
    equal([found.kind, 'inTransaction' in found && found.inTransaction], ['one statement', true])
  })

  test('the dialect decides by the change and the table', () => {
    const asked: unknown[] = []
    const singleWrites = (what: string, { table }: { readonly table: string }) =>
      void asked.push([what, table])
    fusion({ around: { singleWrites } })
    fusion({
      write: { change: 'insert', resource: resourceOf('Author') },
      around: { singleWrites },
    })
    equal(asked, [
      ['update', 'books'],
      ['insert', 'authors'],
    ])
  })

  for (const [because, list] of Object.entries(remarks)) {
    test(`steps, because of: ${because}`, () => {
      for (const remark of list) equal(fusion(remark), { kind: 'steps', because })
    })
  }

  test('a write may set the columns of its body, and those that the database computes', () => {
    const sets = (write: Partial<OneRecord>, ...columns: string[]) =>
      maySet({ ...change, ...write }, columns)
    equal(sets({}, 'author_id', 'gone'), false)
    equal(sets({}, 'author_id', 'title'), true)
    equal(sets({}, 'a column that the model lacks'), true)
    equal(sets({ replace: true }, 'author_id'), true)
    equal(sets({ change: 'insert' }, 'author_id'), true)
    equal(sets(removal, 'title'), false)
    const made = resourceOf('Made')
    equal(sets({ resource: made, record: node({ resource: made }) }, 'id'), false)
    equal(sets({ resource: made, record: node({ resource: made }) }, 'short'), true)
  })

  test('no transaction for fields=, links, members that PUT does not send, or a visible foreign key', () => {
    equal(fusion({ write: { echoPlan: echoOf(book, 'fields=title') } }).kind, 'one statement')
    equal(fusion({ write: { echoPlan: echoOf(book, 'dump=url') } }).kind, 'one statement')
    equal(fusion({ write: { record: node({ values: {} }), replace: true } }).kind, 'one statement')
    equal(fusion(sent({ values: { author_id: 1 } })).kind, 'one statement')
  })

  test('a new record lists the references that its statement checks, but no NULL', () => {
    const around = { narrows: ({ name }: Resource) => name === 'Author' || name === 'Printed' }
    const referring = (resource: Resource, values: RecordNode['values']) => {
      const write = { change: 'insert', resource, record: node({ resource, values }) } as const
      const found = fusion({ write, around })
      return 'references' in found ? found.references.map(({ name }) => name) : found.because
    }
    equal(referring(book, { author_id: 1 }), ['author'])
    equal(referring(book, { title: 'Emma' }), [])
    const edition = resourceOf('Edition')
    equal(referring(edition, { book_id: 1, number: 2 }), ['printed'])
    equal(referring(edition, { book_id: 1, number: null }), [])
    const changing = (author_id: number | null, checksInUpdates: boolean) =>
      fusion({ ...sent({ values: { author_id } }), around: { ...around, checksInUpdates } }).kind
    equal(changing(null, false), 'one statement')
    equal(changing(1, false), 'steps')
    equal(changing(1, true), 'one statement')
  })

  test('a new record needs no comparison with a stored one, and may have its own key', () => {
    const insert = (more: Partial<RecordNode>) =>
      fusion({ write: { change: 'insert', record: node(more) } }).kind
    equal(insert({ values: { id: 7 } }), 'one statement')
    equal(
      insert({ sentBack: { fields: { gone: false }, otherForms: {}, urls: {} } }),
      'one statement',
    )
    equal(insert({ values: {} }), 'one statement')
  })
})
