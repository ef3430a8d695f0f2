// The types that TypeScript infers from a model, and what it refuses; compiled, never run.

import { sql } from 'kysely'
import type { DatabaseOf } from '../../packages/core/src/dialect/driver-types.ts'
import { defineBase, defineModel } from '../../packages/core/src/model/define-model.ts'
import type { NewRowOf, PatchOf, RecordOf, RowOf } from '../../packages/core/src/model/infer.ts'
import { belongsTo, hasMany, manyToMany } from '../../packages/core/src/model/relation.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const Author = defineModel('Author', {
  table: 'authors',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 120 },
    rank: { type: 'enum', enum: ['junior', 'senior'] },
    balance: { type: 'decimal', scale: 2, default: '0.00' },
    publisher_id: { type: 'integer', nullable: true },
    bornOn: { type: 'date', nullable: true, column: 'born_on' },
    notes: { type: 'text', nullable: true, hidden: true },
    createdAt: { type: 'datetime', column: 'created_at', managed: 'created' },
    visits: { type: 'bigint', hasDefault: true, readOnly: true },
    data: { type: 'json', nullable: true },
    token: {
      type: 'string',
      nullable: true,
      writeOnly: true,
      transform: (text: string) => `${text}!`,
    },
  },
  relations: {
    books: hasMany('Book', 'author_id'),
    publisher: belongsTo('Publisher', 'publisher_id'),
    tags: manyToMany('Tag', { through: 'author_tags', from: 'author_id', to: 'tag_id' }),
  },
  computed: {
    label: { type: 'string', expression: (eb) => eb.fn('upper', ['name']) },
    age: { type: 'integer', nullable: true, expression: (eb) => sql`1 + ${eb.ref('born_on')}` },
  },
  methods: {
    check_password: (author, password: string) => author.notes === password,
  },
  meta: { allow_join: true, allowed_methods: ['GET', 'POST'], post_rate_limit: '5 per minute' },
})

holds<
  Equal<
    RowOf<typeof Author>,
    {
      id: number
      name: string
      rank: 'junior' | 'senior'
      balance: string
      publisher_id: number | null
      bornOn: string | null
      createdAt: string
      visits: string
      data: unknown
      label: string
      age: number | null
    }
  >
>()

holds<Equal<RecordOf<typeof Author>['notes'], string | null>>()
holds<Equal<RecordOf<typeof Author>['token'], string | null>>()

holds<
  Equal<
    NewRowOf<typeof Author>,
    {
      name: string
      rank: 'junior' | 'senior'
      balance?: string
      publisher_id?: number | null
      bornOn?: string | null
      data?: unknown
      token?: string | null
    }
  >
>()

holds<
  Equal<
    PatchOf<typeof Author>,
    {
      name?: string
      rank?: 'junior' | 'senior'
      balance?: string
      publisher_id?: number | null
      bornOn?: string | null
      data?: unknown
      token?: string | null
    }
  >
>()

// A view has row types like any model, and needs no key.
const Total = defineModel('Total', {
  table: 'totals',
  columns: {
    author_id: { type: 'integer', unique: true },
    sum: { type: 'decimal', nullable: true },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  readOnly: true,
})
holds<Equal<RowOf<typeof Total>, { author_id: number; sum: string | null }>>()
// @ts-expect-error `readOnly` is true or false
defineModel('Total', { columns: { n: { type: 'integer' } }, readOnly: 'yes' })

const Untitled = defineModel('Untitled', { columns: { id: { type: 'uuid', primaryKey: true } } })
const Stocked = defineModel('Stocked', {
  table: 'authors',
  schema: 'stock',
  columns: { id: { type: 'integer', primaryKey: true }, shelf: { type: 'string' } },
})
type Schemas = DatabaseOf<[typeof Author, typeof Stocked]>
holds<Equal<keyof Schemas, 'authors' | 'stock.authors'>>()
holds<Equal<keyof Schemas['stock.authors'], 'id' | 'shelf'>>()

type Database = DatabaseOf<[typeof Author, typeof Untitled]>
holds<Equal<keyof Database, 'authors'>>()
holds<
  Equal<
    keyof Database['authors'],
    | 'id'
    | 'name'
    | 'rank'
    | 'balance'
    | 'publisher_id'
    | 'born_on'
    | 'notes'
    | 'created_at'
    | 'visits'
    | 'data'
    | 'token'
  >
>()

const Base = defineBase({
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    created: { type: 'datetime', managed: 'created' },
  },
  meta: { allow_join: true },
})
const Book = Base.define('Book', {
  columns: { title: { type: 'string' }, id: { type: 'uuid', primaryKey: true } },
  computed: { day: { type: 'string', expression: (eb) => eb.fn('day', ['created']) } },
  meta: {},
})
holds<Equal<RowOf<typeof Book>, { id: string; title: string; created: string; day: string }>>()

const Post = defineModel('Post', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    tags: { type: 'list', items: 'string' },
    totals: { type: 'list', items: 'bigint', nullable: true },
    moods: { type: 'list', items: 'enum', enum: ['glad', 'sad'] },
    address: { type: 'opaque', readOnly: true },
  },
})
holds<
  Equal<
    RowOf<typeof Post>,
    {
      id: number
      tags: (string | null)[]
      totals: (string | null)[] | null
      moods: ('glad' | 'sad' | null)[]
      address: string
    }
  >
>()
holds<
  Equal<
    NewRowOf<typeof Post>,
    {
      id: number
      tags: (string | null)[]
      moods: ('glad' | 'sad' | null)[]
      totals?: (string | null)[] | null
    }
  >
>()

const Payslip = defineModel('Payslip', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    month: { type: 'string' },
    amount: { type: 'integer', read: 'payroll' },
    state: {
      type: 'string',
      write: ({ user, db, action }) => user?.id === db || action === 'POST',
    },
    code: { type: 'string', nullable: true, read: async ({ before }) => before === null },
  },
  computed: {
    yearly: { type: 'integer', read: ['payroll'], expression: (eb) => eb.ref('amount') },
  },
  meta: {},
})
// A column that only some may read may be missing in a row; one that only some may write may be omitted in a new record.
holds<
  Equal<
    RowOf<typeof Payslip>,
    {
      id: number
      month: string
      state: string
      amount?: number
      code?: string | null
      yearly?: number
    }
  >
>()
holds<
  Equal<
    NewRowOf<typeof Payslip>,
    { month: string; amount?: number; state?: string; code?: string | null }
  >
>()
holds<Equal<RecordOf<typeof Payslip>['amount'], number>>()

// A search names columns and computed columns, and declares none.
const searched = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string' },
} as const
const Plain = defineModel('Searched', { columns: searched, meta: {} })
const Words = defineModel('Searched', { columns: searched, search: ['title'], meta: {} })
const Indexed = defineModel('Searched', {
  columns: searched,
  search: { columns: ['title'], index: 'by_words' },
  meta: {},
})
holds<Equal<RowOf<typeof Words>, RowOf<typeof Plain>>>()
holds<Equal<RowOf<typeof Indexed>, RowOf<typeof Plain>>>()
holds<Equal<typeof Words.computed, typeof Plain.computed>>()
holds<Equal<typeof Indexed.computed, typeof Plain.computed>>()
defineModel('Searched', {
  columns: searched,
  computed: { initial: { type: 'string', expression: (eb) => eb.fn('upper', ['title']) } },
  search: ['title', 'initial'],
})
// @ts-expect-error no column has this name
defineModel('Searched', { columns: searched, search: ['titel'] })
// @ts-expect-error no column has this name
defineModel('Searched', { columns: searched, search: { columns: ['titel'], index: 'by_words' } })
