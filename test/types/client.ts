// The arguments and results of the typed client for the models of an API; compiled, never run.

import {
  type AnyModel,
  type Api,
  avg,
  belongsTo,
  count,
  createApi,
  defineBase,
  defineModel,
  hashPassword,
  hasMany,
  hasOne,
  manyToMany,
  max,
  min,
  modelsFor,
  sum,
} from '@model-api/core'
import { createClient, queryOptions, reference } from '@model-api/core/client'
import type { Kysely } from 'kysely'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

// biome-ignore lint/suspicious/noExplicitAny: any database
declare const db: Kysely<any>
const id = { type: 'integer', primaryKey: true, generated: true } as const

const Author = defineModel('Author', {
  columns: {
    id,
    name: { type: 'string' },
    born_on: { type: 'date', nullable: true },
    password_hash: { type: 'string', hidden: true },
  },
  relations: {
    books: hasMany('Book', 'author_id'),
    shelves: hasMany('Shelf', 'owner_id'),
    profile: hasOne('Profile', 'author_id'),
  },
  computed: { initial: { type: 'string', expression: (eb) => eb.fn('upper', ['name']) } },
  meta: {},
})
const Profile = defineModel('Profile', {
  columns: { id, author_id: { type: 'integer' }, motto: { type: 'text' } },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string' },
    price: { type: 'decimal', scale: 2, nullable: true },
    sold: { type: 'bigint', default: '0' },
    in_stock: { type: 'boolean', default: true },
    format: { type: 'enum', enum: ['hardcover', 'paperback'], default: 'paperback' },
    details: { type: 'json', nullable: true, json: { 'size.pages': 'integer', isbn: 'text' } },
    tags: { type: 'list', items: 'string', nullable: true },
    author_id: { type: 'integer' },
    margin: { type: 'integer', nullable: true, read: 'accountant' },
  },
  relations: { author: belongsTo('Author', 'author_id'), reviews: hasMany('Review', 'book_id') },
  meta: {},
})
const Review = defineModel('Review', {
  columns: {
    id,
    book_id: { type: 'integer' },
    rating: { type: 'integer' },
    body: { type: 'text' },
    created_at: { type: 'datetime', managed: 'created' },
  },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: {},
})
/** Each record belongs to the tenant of the caller. */
const Label = defineModel('Label', {
  columns: {
    id,
    tenant_id: { type: 'integer', hidden: true, default: () => 1 },
    key: { type: 'string' },
    text: { type: 'string', nullable: true },
  },
  unique: [['tenant_id', 'key']],
  meta: {},
})
const Shelf = defineModel('Shelf', {
  columns: {
    id,
    code: { type: 'string', unique: true },
    room: { type: 'integer' },
    place: { type: 'integer' },
    salt: { type: 'string', hidden: true, nullable: true },
    owner_id: { type: 'integer' },
    maker_id: { type: 'integer', readOnly: true },
    tenant_id: { type: 'integer', hidden: true },
    keeper_id: { type: 'integer', hidden: true, readOnly: false, nullable: true },
    founder_id: { type: 'integer', nullable: true, immutable: true },
  },
  unique: [['room', 'place']],
  relations: {
    owner: belongsTo('Author', 'owner_id'),
    maker: belongsTo('Author', 'maker_id'),
    tenant: belongsTo('Author', 'tenant_id'),
    keeper: belongsTo('Author', 'keeper_id'),
    founder: belongsTo('Author', 'founder_id'),
  },
  meta: {},
})
/** Everything that it requires is set once, except its due date. */
const Loan = defineModel('Loan', {
  columns: {
    id,
    code: { type: 'string', immutable: true },
    book_id: { type: 'integer', immutable: true },
    desk_id: { type: 'integer' },
    due: { type: 'date' },
  },
  relations: {
    book: belongsTo('Book', 'book_id'),
    desk: belongsTo('Shelf', 'desk_id'),
    labels: manyToMany('Label', { through: 'loan_labels', from: 'loan_id', to: 'label_id' }),
  },
  meta: {},
})
/** Clients write none of its columns. */
const Mark = defineModel('Mark', { columns: { id }, meta: {} })
const Flag = defineModel('Flag', {
  columns: { id, note: { type: 'string' } },
  relations: { marks: manyToMany('Mark', { through: 'marked', from: 'flag_id', to: 'mark_id' }) },
  meta: {},
})
/** Its password is sent, never read. */
const Account = defineModel('Account', {
  columns: {
    id,
    name: { type: 'string' },
    password: { type: 'string', writeOnly: true, transform: hashPassword },
    pin: {
      type: 'integer',
      nullable: true,
      writeOnly: true,
      transform: (pin: number, { user }) => (user === null ? pin : -pin),
    },
  },
  meta: {},
})
const OrderLine = defineModel('OrderLine', {
  columns: {
    order_no: { type: 'string', primaryKey: true },
    line: { type: 'integer', primaryKey: true },
  },
  meta: {},
})

const api = createApi({
  db,
  models: [Author, Profile, Book, Review, Label, Shelf, Loan, Mark, Flag, Account, OrderLine],
})
const client = createClient<typeof api>('https://example.org/api')
holds<
  Equal<
    keyof typeof client,
    | 'batch'
    | 'authors'
    | 'profiles'
    | 'books'
    | 'reviews'
    | 'labels'
    | 'shelves'
    | 'loans'
    | 'marks'
    | 'flags'
    | 'accounts'
    | 'orderLines'
  >
>()

const clientOf = <A>(_api: A) => createClient<A>('/api')

/** The value of a call. */
type ValueOf<C> = C extends { unwrap(): Promise<infer V> } ? V : never

// ---------------------------------------------------------------- the results of lists

interface Whole {
  id: number
  title: string
  price: string | null
  sold: string
  in_stock: boolean
  format: 'hardcover' | 'paperback'
  details: unknown
  tags: (string | null)[] | null
  author_id: number
  margin?: number | null
}

const whole = client.books.list({ where: { price: { gt: '20' } } })
holds<Equal<ValueOf<typeof whole>[number], { [K in keyof Whole]: Whole[K] }>>()

const chosen = client.books.list({
  where: { price: { gt: '20' }, author: { name: { ilike: 'austen' } } },
  orderBy: ['-price', 'author.name', 'title.nullsfirst', '-author.name.nullslast'],
  fields: ['title', 'author.name'],
  include: { reviews: { limit: 3 } },
})
holds<
  Equal<
    ValueOf<typeof chosen>,
    {
      title: string
      name: string | null
      reviews: { id: number; book_id: number; rating: number; body: string; created_at: string }[]
    }[]
  >
>()

const colliding = client.books.list({ fields: ['id', 'author.id', 'author.name'] })
holds<
  Equal<
    ValueOf<typeof colliding>,
    { id: number; 'author.id': number | null; name: string | null }[]
  >
>()

const nested = client.authors.get(1, {
  include: {
    profile: { fields: ['motto'] },
    books: {
      fields: ['title'],
      where: { price: { gt: '1' } },
      include: { reviews: { fields: ['rating'] } },
    },
  },
})
holds<
  Equal<
    ValueOf<typeof nested>,
    {
      id: number
      name: string
      born_on: string | null
      initial: string
      profile: { motto: string } | null
      books: { title: string; reviews: { rating: number }[] }[]
    }
  >
>()

const linked = client.reviews.list({ dump: 'url', fields: [] })
void linked

const urls = client.reviews.list({ dump: 'url' })
holds<Equal<ValueOf<typeof urls>[number]['book'], string | null>>()
const hybrid = client.books.list({ dump: 'hybrid' })
holds<Equal<ValueOf<typeof hybrid>[number]['reviews'], string>>()
holds<
  Equal<
    ValueOf<typeof hybrid>[number]['author'],
    { id: number; name: string; born_on: string | null; initial: string } | null
  >
>()

const one = client.books.get(1, { fields: ['title'], ifNoneMatch: '"a.b"' })
holds<Equal<ValueOf<typeof one>, { title: string } | null>>()
const page = client.books.list({ fields: ['title'], ifNoneMatch: '"a"' })
holds<Equal<ValueOf<typeof page>, { title: string }[] | null>>()
declare const known: string | undefined
const perhaps = client.books.list({ fields: ['title'], ifNoneMatch: known })
holds<Equal<ValueOf<typeof perhaps>, { title: string }[] | null>>()
client.orderLines.get(['2024/001', 2])
// @ts-expect-error: books have numbers as keys
client.books.get('1')

// ---------------------------------------------------------------- mistakes that do not compile

// @ts-expect-error: no such collection
client.bookz
// @ts-expect-error: no such column
client.books.list({ where: { titel: 'Emma' } })
// @ts-expect-error: a decimal has no like
client.books.list({ where: { price: { like: '2' } } })
// @ts-expect-error: decimals are strings
client.books.list({ where: { price: { gt: 20 } } })
// @ts-expect-error: booleans have no order
client.books.list({ where: { in_stock: { lt: true } } })
// @ts-expect-error: json is not compared
client.books.list({ where: { details: { eq: {} } } })
client.books.list({ where: { details: { isnull: true }, tags: { overlaps: ['a'] }, price: null } })
// @ts-expect-error: not nullable
client.books.list({ where: { title: null } })
// @ts-expect-error: not a member
client.books.list({ where: { format: 'scroll' } })
// @ts-expect-error: hidden
client.authors.list({ where: { password_hash: 'x' } })
// @ts-expect-error: hidden
client.authors.list({ fields: ['password_hash'] })
// @ts-expect-error: no such column of authors
client.books.list({ where: { author: { title: 'x' } } })
// @ts-expect-error: conditions on one review cannot lead further
client.books.list({ where: { reviews: { rating: 5, book: { title: 'x' } } } })
client.books.list({
  where: {
    or: [{ title: { startswith: 'E' } }, { not: { author: { name: 'x' } } }],
    reviews: { rating: { ge: 4 }, body: { ilike: 'sea' } },
  },
})
// @ts-expect-error: no such column in a group
client.books.list({ where: { or: [{ titel: 'x' }] } })
// @ts-expect-error: no such order
client.books.list({ orderBy: ['-titel'] })
// @ts-expect-error: json has no order
client.books.list({ orderBy: ['details'] })
// @ts-expect-error: no such order of a relation
client.books.list({ orderBy: ['-author.titel.nullslast'] })
// @ts-expect-error: no such place of nulls
client.books.list({ orderBy: ['-author.name.nullsbest'] })
// @ts-expect-error: no such field
client.books.list({ fields: ['titel'] })
// @ts-expect-error: no such relation
client.books.list({ include: { writer: true } })
// @ts-expect-error: no such field of a relation
client.books.list({ include: { reviews: { fields: ['stars'] } } })
// @ts-expect-error: no such option of a relation
client.books.list({ include: { reviews: { limt: 3 } } })
// @ts-expect-error: no such column in a condition on a relation
client.books.list({ include: { reviews: { where: { rating: 5, stars: 5 } } } })
// @ts-expect-error: no such relation below a relation
client.authors.list({ include: { books: { include: { pictures: true } } } })
// @ts-expect-error: no such option
client.books.list({ limits: 3 })

// ---------------------------------------------------------------- paths into json columns, and along relations

const paths = client.books.list({
  where: { 'details->size.pages': { gt: 100 }, 'details->isbn': { startswith: '978' } },
  orderBy: ['-details->size.pages.nullslast'],
  fields: ['title', 'details->size.pages'],
  search: 'sea',
})
holds<
  Equal<ValueOf<typeof paths>[number], { title: string; 'details.size.pages': number | null }>
>()
client.reviews.list({ where: { book: { 'details->isbn': null } } })
// @ts-expect-error: no such path
client.books.list({ where: { 'details->size': 1 } })
// @ts-expect-error: the value at the path is a number
client.books.list({ where: { 'details->size.pages': 'many' } })
// @ts-expect-error: numbers have no like
client.books.list({ where: { 'details->size.pages': { like: 'x' } } })
// @ts-expect-error: no such path
client.books.list({ fields: ['details->pages'] })
// @ts-expect-error: the server cannot choose them beside whole records
client.books.list({ fields: ['details->isbn'], include: { author: true } })

const far = client.reviews.list({ fields: ['rating', 'book.author.name', 'book.details->isbn'] })
holds<
  Equal<
    ValueOf<typeof far>[number],
    { rating: number; name: string | null; 'details.isbn': string | null }
  >
>()
const same = client.reviews.list({ fields: ['book.author.id', 'book.author.profile.id'] })
holds<
  Equal<
    ValueOf<typeof same>[number],
    { 'book.author.id': number | null; 'book.author.profile.id': number | null }
  >
>()
// @ts-expect-error: no such column at the end
client.reviews.list({ fields: ['book.author.title'] })
// @ts-expect-error: no such relation on the way
client.reviews.list({ fields: ['book.writer.name'] })
// @ts-expect-error: hidden
client.reviews.list({ fields: ['book.author.password_hash'] })

const pathGroups = client.books.groups({
  groupBy: ['details->isbn'],
  aggregate: { most: { max: 'details->size.pages' }, all: { sum: 'details->size.pages' } },
})
holds<
  Equal<
    { [K in keyof ValueOf<typeof pathGroups>[number]]: ValueOf<typeof pathGroups>[number][K] },
    { 'details.isbn': string | null; most: number | null; all: number | null }
  >
>()

// ---------------------------------------------------------------- groups

const groups = client.books.groups({
  groupBy: ['format', 'author.name'],
  aggregate: { n: { count: 'id' }, revenue: { sum: 'price' }, last: { max: 'title' } },
  having: { n: { gt: 3 } },
  orderBy: ['-n', 'format', '-author.name.nullslast', 'revenue.nullsfirst'],
})
holds<
  Equal<
    { [K in keyof ValueOf<typeof groups>[number]]: ValueOf<typeof groups>[number][K] },
    {
      format: 'hardcover' | 'paperback'
      name: string | null
      n: number
      revenue: string | null
      last: string | null
    }
  >
>()
const years = client.reviews.groups({
  groupBy: ['year(created_at)'],
  aggregate: { mean: { avg: 'rating' } },
})
holds<Equal<ValueOf<typeof years>[number]['year(created_at)'], number | null>>()
holds<Equal<ValueOf<typeof years>[number]['mean'], number | null>>()
// @ts-expect-error: text has no sum
client.books.groups({ aggregate: { n: { sum: 'title' } } })
// @ts-expect-error: no such aggregate
client.books.groups({ aggregate: { n: { count: 'id' } }, having: { m: 3 } })
// @ts-expect-error: json has no groups
client.books.groups({ groupBy: ['details'] })
// @ts-expect-error: a part of a text
client.books.groups({ groupBy: ['year(title)'] })

// ---------------------------------------------------------------- writing

client.books.create({ title: 'Emma', author_id: 1 })
client.books.create({ title: 'Emma', author: { name: 'Jane Austen' } })
client.authors.create({ name: 'Jane Austen', books: [{ title: 'Emma' }, { id: 3 }] })
// @ts-expect-error: neither the author nor the author's key
client.books.create({ title: 'Emma' })
// @ts-expect-error: no such column
client.books.create({ title: 'Emma', author_id: 1, isbn: 'x' })
// @ts-expect-error: the database makes the key
client.books.create({ id: 1, title: 'Emma', author_id: 1 })
client.books.createMany([{ title: 'Emma', author_id: 1 }], { onConflict: ['id'] })
client.shelves.createMany([], { onConflict: ['code'] })
client.shelves.createMany([], { onConflict: 'code' })
// @ts-expect-error: a single column that is not unique
client.shelves.createMany([], { onConflict: 'place' })
// @ts-expect-error: no such column
client.shelves.createMany([], { onConflict: 'cod' })
client.shelves.createMany([], { onConflict: ['room', 'place'] })
// @ts-expect-error: a single column that is not unique
client.shelves.createMany([], { onConflict: ['place'] })
// @ts-expect-error: no such column
client.shelves.createMany([], { onConflict: ['room', 'plaice'] })
// @ts-expect-error: hidden
client.shelves.createMany([], { onConflict: ['salt', 'place'] })
client.shelves.createMany([], { onConflict: ['place', 'room'] })
// @ts-expect-error: two columns that are unique only with others
client.shelves.createMany([], { onConflict: ['room', 'code'] })
// @ts-expect-error: more columns than those of the set
client.shelves.createMany([], { onConflict: ['room', 'place', 'code'] })
client.orderLines.createMany([], { onConflict: ['order_no', 'line'] })
// @ts-expect-error: unique only with the line
client.orderLines.createMany([], { onConflict: 'order_no' })
client.labels.createMany([{ key: 'a' }], { onConflict: ['key'] })
// @ts-expect-error: hidden columns of new records are filled, but the text is in no unique set
client.labels.createMany([], { onConflict: 'text' })
// @ts-expect-error: the text is in no unique set
client.labels.createMany([], { onConflict: ['key', 'text'] })
client.labels.createMany([{ key: 'a' }], { onConflict: 'key' })
// @ts-expect-error: hidden
client.labels.createMany([], { onConflict: 'tenant_id' })
// @ts-expect-error: hidden
client.labels.createMany([], { onConflict: ['tenant_id', 'key'] })
client.shelves.create({ code: 'a', room: 1, place: 1, owner: { id: 1 }, keeper: { name: 'x' } })
// @ts-expect-error: an optional relation does not replace the required one
client.shelves.create({ code: 'a', room: 1, place: 1, keeper: { name: 'x' } })
// @ts-expect-error: read-only, as its foreign key
client.shelves.create({ code: 'a', room: 1, place: 1, owner_id: 1, maker: { id: 1 } })
// @ts-expect-error: its foreign key is hidden
client.shelves.create({ code: 'a', room: 1, place: 1, owner_id: 1, tenant: { id: 1 } })
// @ts-expect-error: read-only
client.shelves.update(1, { maker: { id: 1 } })
client.shelves.create({ code: 'a', room: 1, place: 1, owner_id: 1, founder: { id: 1 } })
client.shelves.create({ code: 'a', room: 1, place: 1, owner_id: 1, founder_id: 1 })
client.shelves.update(1, { owner: { id: 1 } })
client.shelves.create(
  { code: 'a', room: 1, place: 1, owner: { id: 1 } },
  { linkBy: { owner: 'id' } },
)
// @ts-expect-error: names are not unique
client.shelves.updateEach([], { linkBy: { owner: 'name' } })
// @ts-expect-error: the shelves of an author belong to it alone
client.authors.create({ name: 'x' }, { linkBy: { shelves: 'code' } })
client.authors.update(
  1,
  {
    shelves: [
      { id: 1, place: 2 },
      { code: 'a', room: 1, place: 1 },
    ],
  },
  { onMissing: { shelves: 'remove', 'shelves.books': 'keep' } },
)
client.authors.updateEach([{ id: 1, shelves: [] }], { onMissing: { shelves: 'remove' } })
// @ts-expect-error: no list of children
client.shelves.update(1, {}, { onMissing: { owner: 'remove' } })
// @ts-expect-error: neither 'keep' nor 'remove'
client.authors.update(1, { shelves: [] }, { onMissing: { shelves: 'drop' } })
// @ts-expect-error: PUT always removes them
client.authors.replace(1, { name: 'x', shelves: [] }, { onMissing: { shelves: 'remove' } })
// @ts-expect-error: the founder is set in a new record only
client.shelves.update(1, { founder_id: 1 })
// @ts-expect-error: the founder is set in a new record only
client.shelves.update(1, { founder: { id: 1 } })
// @ts-expect-error: read-only
client.authors.create({ name: 'x', shelves: [{ code: 'a', maker: { id: 1 } }] })
client.authors.create({ name: 'x', shelves: [{ code: 'a', keeper: { id: 1 } }] })
client.books.update(1, { price: null }, { ifMatch: '"a.b"' })
// @ts-expect-error: not nullable
client.books.update(1, { title: null })
// @ts-expect-error: the service sets it
client.reviews.update(1, { created_at: '2026-01-01T00:00:00.000Z' })
client.books.updateMany({ title: { startswith: 'E' } }, { price: '8.00' }, { maxAffected: 5 })
client.books.updateEach([{ id: 1, price: '8.00' }])
// @ts-expect-error: whose price?
client.books.updateEach([{ price: '8.00' }])
// @ts-expect-error: no such column
client.books.updateEach([{ id: 1, cost: '8.00' }])
client.books.replace(1, { title: 'Emma', author_id: 1 })
// @ts-expect-error: a replacement is whole
client.books.replace(1, { title: 'Emma' })
client.loans.create({ code: 'a', book_id: 1, desk_id: 1, due: '2026-01-01' })
client.loans.create({ code: 'a', book: { id: 1 }, desk: { id: 1 }, due: '2026-01-01' })
// @ts-expect-error: a new record has them all
client.loans.create({ book_id: 1, desk_id: 1, due: '2026-01-01' })
client.loans.update(1, { labels: [{ id: 1 }, { key: 'a' }] })
// @ts-expect-error: a text is no label
client.loans.update(1, { labels: ['bug'] })
// @ts-expect-error: nor is a number
client.loans.update(1, { labels: [5] })
// @ts-expect-error: nor is a list
client.loans.update(1, { labels: [['bug']] })
client.loans.create({
  code: 'a',
  book_id: 1,
  desk_id: 1,
  due: '2026-01-01',
  // @ts-expect-error: a text is no label
  labels: ['bug'],
})
// @ts-expect-error: a number is no label
client.loans.replace(1, { desk_id: 1, due: '2026-01-01', labels: [5] })
// @ts-expect-error: clients write no column of a mark, but a text is none
client.flags.create({ note: 'x', marks: ['x'] })
client.flags.create({ note: 'x', marks: [{ id: 1 }] })
// A replacement keeps what is set once, and may send it again.
client.loans.replace(1, { desk_id: 1, due: '2026-01-01' })
client.loans.replace(1, { desk: { id: 1 }, due: '2026-01-01' })
client.loans.replace(1, { code: 'a', book_id: 1, desk_id: 1, due: '2026-01-01' })
// @ts-expect-error: the rest is whole
client.loans.replace(1, { desk_id: 1 })
// @ts-expect-error: the desk can change
client.loans.replace(1, { due: '2026-01-01' })
// @ts-expect-error: the book is set in a new record only
client.loans.replace(1, { desk_id: 1, due: '2026-01-01', book: { id: 1 } })
// @ts-expect-error: a code is a text
client.loans.replace(1, { code: 1, desk_id: 1, due: '2026-01-01' })
client.books.remove(1, { cascade: true })
client.books.removeMany({ price: null })
const titled = client.books.createMany([{ title: 'x', author_id: 1 }], { fields: ['title'] })
holds<Equal<ValueOf<typeof titled>, { title: string }[]>>()
const updated = client.books.update(1, { title: 'x' }, { fields: ['id', 'author.name'] })
holds<Equal<ValueOf<typeof updated>, { id: number; name: string | null } | null>>()
// @ts-expect-error: no such field
client.books.update(1, { title: 'x' }, { fields: ['titel'] })
// @ts-expect-error: no such relation
client.books.create({ title: 'x', author_id: 1 }, { include: { writer: true } })
const made = client.profiles.create({ author_id: 1, motto: 'x' })
holds<Equal<ValueOf<typeof made>, { id: number; author_id: number; motto: string } | null>>()

// ---------------------------------------------------------------- unique sets, however the model is made

const tenant_id = { type: 'integer', hidden: true, default: 1 } as const
const taskColumns = {
  id,
  title: { type: 'string' },
  project_id: { type: 'integer' },
  number: { type: 'integer', readOnly: true },
  slug: { type: 'string' },
  code: { type: 'string', unique: true, readOnly: true },
  secret: { type: 'string', hidden: true },
} as const
const Based = defineBase({ columns: { tenant_id } }).define('Based', {
  columns: taskColumns,
  unique: [
    ['project_id', 'slug'],
    ['tenant_id', 'title'],
    ['project_id', 'number'],
    ['slug', 'secret'],
  ],
  meta: {},
})
const typed = modelsFor<{ readonly id: number }>()
const Typed = typed.defineModel('Typed', {
  columns: { ...taskColumns, tenant_id },
  unique: [
    ['project_id', 'slug'],
    ['tenant_id', 'title'],
  ],
  meta: {},
})
const TypedBased = typed.defineBase({ columns: { tenant_id } }).define('TypedBased', {
  columns: taskColumns,
  unique: [
    ['project_id', 'slug'],
    ['tenant_id', 'title'],
  ],
  meta: {},
})
const Bare = defineModel('Bare', { columns: { ...taskColumns, tenant_id }, meta: {} })
declare const sets: readonly (readonly ('slug' | 'title')[])[]
const Unknown = defineModel('Unknown', { columns: taskColumns, unique: sets, meta: {} })
const { baseds, typeds, typedBaseds, bares, unknowns } = clientOf(
  createApi({ db, models: [Based, Typed, TypedBased, Bare, Unknown] }),
)
baseds.createMany([], { onConflict: ['project_id', 'slug'] })
baseds.createMany([], { onConflict: 'title' })
// @ts-expect-error: in a set with another column
baseds.createMany([], { onConflict: 'slug' })
// @ts-expect-error: no set
baseds.createMany([], { onConflict: ['project_id', 'title'] })
// @ts-expect-error: clients do not write the number, and nothing fills it before the look-up
baseds.createMany([], { onConflict: ['project_id', 'number'] })
// @ts-expect-error: clients do not write the code
baseds.createMany([], { onConflict: 'code' })
typeds.createMany([], { onConflict: ['slug', 'project_id'] })
typeds.createMany([], { onConflict: 'title' })
// @ts-expect-error: in a set with another column
typeds.createMany([], { onConflict: 'slug' })
// @ts-expect-error: no set
typeds.createMany([], { onConflict: ['project_id', 'title'] })
typedBaseds.createMany([], { onConflict: 'title' })
typedBaseds.createMany([], { onConflict: ['project_id', 'slug'] })
// @ts-expect-error: no set
typedBaseds.createMany([], { onConflict: ['project_id', 'title'] })
bares.createMany([], { onConflict: 'id' })
// @ts-expect-error: the model declares no set
bares.createMany([], { onConflict: ['project_id', 'slug'] })
// The type of the model does not tell its sets.
unknowns.createMany([], { onConflict: ['project_id', 'slug'] })

// ---------------------------------------------------------------- roles of users

const userColumns = { id, name: { type: 'string' }, role_id: { type: 'integer' } } as const
const roles = { type: 'json', nullable: true } as const
const User = defineModel('User', { columns: { ...userColumns, roles }, meta: {} })
const Role = defineModel('Role', { columns: { id, name: { type: 'string' } }, meta: {} })

const users = clientOf(
  createApi({ db, models: [User, Role], config: { API_USER_MODEL: User } }),
).users
users.create({ name: 'ann', role_id: 1 })
users.update(1, { name: 'ann' })
// @ts-expect-error: users do not give themselves roles
users.create({ name: 'ann', role_id: 1, roles: ['admin'] })
// @ts-expect-error: users do not give themselves roles
users.createMany([{ name: 'ann', role_id: 1, roles: ['admin'] }])
// @ts-expect-error: users do not give themselves roles
users.update(1, { roles: ['admin'] })
// @ts-expect-error: users do not give themselves roles
users.updateEach([{ id: 1, roles: ['admin'] }])
// @ts-expect-error: users do not give themselves roles
users.updateMany({ name: 'ann' }, { roles: ['admin'] })
// @ts-expect-error: users do not give themselves roles
users.replace(1, { name: 'ann', role_id: 1, roles: ['admin'] })

// Another model, or no user model: an ordinary column.
clientOf(createApi({ db, models: [User, Role] })).users.update(1, { roles: ['admin'] })
clientOf(createApi({ db, models: [User, Role], config: { API_USER_MODEL: Role } })).users.update(
  1,
  { roles: ['admin'] },
)

// The model says who may write it.
const Ruled = defineModel('User', {
  columns: { ...userColumns, roles: { ...roles, write: 'admin' } },
  meta: {},
})
const Open = defineModel('User', {
  columns: { ...userColumns, roles: { ...roles, readOnly: false } },
  meta: {},
})
clientOf(createApi({ db, models: [Ruled], config: { API_USER_MODEL: Ruled } })).users.update(1, {
  roles: ['admin'],
})
clientOf(createApi({ db, models: [Open], config: { API_USER_MODEL: Open } })).users.update(1, {
  roles: ['admin'],
})

// A foreign key to the role of a user; `roles` is then a relation.
const Clerk = defineModel('Clerk', {
  columns: { ...userColumns, rank: { type: 'integer', nullable: true } },
  relations: { roles: belongsTo('Role', 'role_id') },
  meta: {},
})
const clerks = clientOf(
  createApi({ db, models: [Clerk, Role], config: { API_USER_MODEL: Clerk } }),
).clerks
clerks.update(1, { rank: 2 })
// @ts-expect-error: its role
clerks.update(1, { role_id: 2 })
// @ts-expect-error: its role
clerks.update(1, { roles: { id: 2 } })
clientOf(createApi({ db, models: [Clerk, Role] })).clerks.update(1, { role_id: 2 })

// ---------------------------------------------------------------- batches, options for caches

const first = client.authors.create({ name: 'x' })
const both = client.batch([
  first,
  client.books.list({ where: { author_id: reference(first, 'id') }, fields: ['title'] }),
])
holds<
  Equal<
    ValueOf<typeof both>,
    [
      { id: number; name: string; born_on: string | null; initial: string } | null,
      { title: string }[],
    ]
  >
>()
// @ts-expect-error: authors have no such column
reference(first, 'title')
// @ts-expect-error: a name is no key
client.books.create({ title: 'x', author_id: reference(first, 'name') })
const listed = client.labels.createMany([{ key: 'a' }], { onConflict: 'key' })
holds<Equal<ReturnType<typeof itemOf>, { id: number; key: string; text: string | null }>>()
const itemOf = () => reference(listed, 0)
const idOf = () => reference(listed, 0, 'id')
holds<Equal<ReturnType<typeof idOf>, number>>()
// @ts-expect-error: labels have no such column
reference(listed, 0, 'id2')
// @ts-expect-error: a list has items
reference(listed, 'length')
const withAuthor = client.books.create(
  { title: 'x', author_id: 1 },
  { include: { author: { fields: ['name'] }, reviews: true } },
)
const nameOf = () => reference(withAuthor, 'author', 'name')
holds<Equal<ReturnType<typeof nameOf>, string>>()
// @ts-expect-error: a record has no items
reference(withAuthor, 0)
const cached = queryOptions(client.books.get(1, { fields: ['title'] }))
holds<Equal<Awaited<ReturnType<typeof cached.queryFn>>, { title: string }>>()

// ---------------------------------------------------------------- related records, pages

const related = client.authors.related(1, 'books', { fields: ['title'], limit: 3 })
holds<Equal<ValueOf<typeof related>, { title: string }[]>>()
// @ts-expect-error: one profile is no list
client.authors.related(1, 'profile')

export async function titles(): Promise<string[]> {
  const found: string[] = []
  for await (const { title } of client.books.iterate({ fields: ['title'] })) found.push(title)
  const result = await client.books.get(1)
  if (result.ok) found.push(result.value.title)
  else found.push(result.error.code ?? '')
  // @ts-expect-error: a failure has no value
  result.value
  return found
}

// ---------------------------------------------------------------- without the API

createClient<Api<{ models: [typeof Author, typeof Book] }>>('/api').books.list({
  // @ts-expect-error: Review is not among the models
  include: { reviews: true },
})

// Models whose names are not known: any name compiles.
createClient<Api<{ models: readonly AnyModel[] }>>('/api').books?.groups({ groupBy: ['title'] })
createClient<Api<{ models: readonly AnyModel[] }>>('/api').books?.list({
  distinctOn: ['title'],
  orderBy: ['-title'],
})

// ---------------------------------------------------------------- write-only columns

const accounts = client.accounts.list()
holds<Equal<ValueOf<typeof accounts>[number], { id: number; name: string }>>()
const account = client.accounts.create({ name: 'ann', password: 'correct horse', pin: null })
holds<Equal<ValueOf<typeof account>, { id: number; name: string } | null>>()
client.accounts.create({ name: 'ann', password: 'correct horse' })
// @ts-expect-error: required in a new record
client.accounts.create({ name: 'ann' })
client.accounts.update(1, { password: 'black pony' })
// @ts-expect-error: a string
client.accounts.update(1, { password: 7 })
client.accounts.replace(1, { name: 'ann', password: 'black pony' })
client.accounts.replace(1, { name: 'ann' })
// @ts-expect-error: never read
client.accounts.list({ fields: ['password'] })
// @ts-expect-error: never read
client.accounts.list({ where: { password: 'x' } })
// @ts-expect-error: never read
client.accounts.list({ orderBy: ['pin'] })
// @ts-expect-error: never read
client.accounts.createMany([], { onConflict: 'pin' })

// ---------------------------------------------------------------- declared aggregates

const Clinic = defineModel('Clinic', {
  columns: { id, name: { type: 'string' } },
  relations: { visits: hasMany('Visit', 'clinic_id') },
  aggregates: {
    open_count: count('visits', { status: 'open' }),
    last: max('visits.at', {}, { sent: false }),
    done: count('visits', { status: 'done' }, { read: 'staff' }),
    paid: sum('visits.bills.amount'),
  },
  meta: {},
})
const Visit = defineModel('Visit', {
  columns: {
    id,
    clinic_id: { type: 'integer' },
    status: { type: 'enum', enum: ['open', 'done'] },
    at: { type: 'date' },
    minutes: { type: 'integer' },
    weight: { type: 'float', nullable: true },
    steps: { type: 'bigint' },
    urgent: { type: 'boolean' },
    secret: { type: 'integer', hidden: true },
    notes: { type: 'json', json: { 'size.pages': 'integer', author: 'text' } },
  },
  relations: {
    clinic: belongsTo('Clinic', 'clinic_id'),
    bills: hasMany('Bill', 'visit_id'),
    tags: manyToMany('Tag', { through: 'visit_tags', from: 'visit_id', to: 'tag_id' }),
  },
  meta: {},
})
const Bill = defineModel('Bill', {
  columns: { id, visit_id: { type: 'integer' }, amount: { type: 'decimal', scale: 2 } },
  relations: { visit: belongsTo('Visit', 'visit_id') },
  meta: {},
})
const Tag = defineModel('Tag', { columns: { id, word: { type: 'string' } }, meta: {} })
/** An aggregate of each function and type. */
const Tally = defineModel('Tally', {
  columns: { id },
  relations: { visits: hasMany('Visit', 'clinic_id') },
  aggregates: {
    status: min('visits.status'),
    at: max('visits.at'),
    minutes: max('visits.minutes'),
    minutes_sum: sum('visits.minutes'),
    minutes_mean: avg('visits.minutes'),
    weight_sum: sum('visits.weight'),
    steps_sum: sum('visits.steps'),
    steps_mean: avg('visits.steps'),
    amount: max('visits.bills.amount'),
    amount_mean: avg('visits.bills.amount'),
    word: min('visits.tags.word'),
    pages: max('visits.notes->size.pages'),
  },
  meta: {},
})
const clinicApi = createApi({ db, models: [Clinic, Visit, Bill, Tag, Tally] })
const { clinics, visits, tallies } = createClient<typeof clinicApi>('/api')

const everyClinic = clinics.list({
  where: { open_count: { gt: 1 }, or: [{ done: 2 }, { last: null }] },
  orderBy: ['-open_count', 'last.nullslast'],
})
holds<
  Equal<
    ValueOf<typeof everyClinic>[number],
    { id: number; name: string; open_count: number; paid: string | null; done?: number }
  >
>()
const clinicFields = clinics.get(1, { fields: ['last', 'open_count'] })
holds<Equal<ValueOf<typeof clinicFields>, { last: string | null; open_count: number }>>()
// @ts-expect-error: no aggregate has this name
clinics.list({ orderBy: ['open_cuont'] })
// @ts-expect-error: they are read-only
clinics.create({ name: 'x', open_count: 1 })
// @ts-expect-error: groups have no aggregates of other records
clinics.groups({ groupBy: ['open_count'] })
// @ts-expect-error: groups have no aggregates of aggregates
clinics.groups({ aggregate: { n: { sum: 'open_count' } } })
// @ts-expect-error: groups have no aggregates of aggregates
clinics.groups({ aggregate: { n: { count: 'open_count' } } })
// @ts-expect-error: groups of a relation have none either
visits.groups({ groupBy: ['clinic.open_count'] })
// @ts-expect-error: records are not distinguished by them
clinics.list({ distinctOn: ['open_count'], orderBy: ['open_count'] })
// @ts-expect-error: dates are strings
clinics.list({ where: { last: 5 } })
// @ts-expect-error: exact sums are strings
clinics.list({ where: { paid: { gt: 5 } } })
clinics.list({ where: { last: { ge: '2024-01-01' }, paid: { isnull: false, gt: '5' } } })
visits.list({ where: { clinic: { open_count: 3, last: null } } })
// @ts-expect-error: a count is a number
visits.list({ where: { clinic: { open_count: 'x' } } })
const clinicOf = visits.list({ fields: ['clinic.last', 'clinic.paid', 'clinic.open_count'] })
holds<
  Equal<
    ValueOf<typeof clinicOf>[number],
    { last: string | null; paid: string | null; open_count: number | null }
  >
>()
const ofTally = tallies.get(1)
holds<
  Equal<
    ValueOf<typeof ofTally>,
    {
      id: number
      status: 'open' | 'done' | null
      at: string | null
      minutes: number | null
      minutes_sum: number | null
      minutes_mean: number | null
      weight_sum: number | null
      steps_sum: string | null
      steps_mean: string | null
      amount: string | null
      amount_mean: string | null
      word: string | null
      pages: number | null
    }
  >
>()
const clinicAlone = createClient<Api<{ models: [typeof Clinic] }>>('/api').clinics.get(1)
holds<Equal<ValueOf<typeof clinicAlone>['paid'], number | string | null>>()
tallies.list({ where: { status: { in: ['open'] }, minutes_mean: { ge: 1.5 } } })
// @ts-expect-error: no member
tallies.list({ where: { status: 'lost' } })

// ---------------------------------------------------------------- aggregates of related records

const counted = clinics.list({
  aggregate: {
    all: { count: 'visits' },
    urgent: {
      count: 'visits',
      where: { urgent: true, or: [{ minutes: { gt: 5 } }, { at: '2024-01-01' }] },
    },
    minutes: { sum: 'visits.minutes' },
    mean: { avg: 'visits.minutes' },
    spent: { sum: 'visits.bills.amount', where: { visit: { status: 'done' } } },
    status: { max: 'visits.status' },
    pages: { min: 'visits.notes->size.pages' },
    word: { min: 'visits.tags.word' },
  },
  where: {
    urgent: { gt: 0 },
    spent: { gt: '5.00' },
    pages: null,
    or: [{ all: 3 }, { status: { in: ['open'] } }, { not: { minutes: { isnull: true } } }],
  },
  orderBy: ['-urgent', 'spent.nullslast', 'name'],
  fields: ['name'],
})
holds<
  Equal<
    ValueOf<typeof counted>[number],
    {
      name: string
      all: number
      urgent: number
      minutes: number | null
      mean: number | null
      spent: string | null
      status: 'open' | 'done' | null
      pages: number | null
      word: string | null
    }
  >
>()
const wholeCounted = clinics.get(1, { aggregate: { n: { count: 'visits' } } })
holds<
  Equal<
    ValueOf<typeof wholeCounted>,
    { id: number; name: string; open_count: number; paid: string | null; done?: number; n: number }
  >
>()
const embeddedCounted = visits.list({
  include: { clinic: { fields: ['name'] } },
  fields: ['minutes'],
  aggregate: { others: { count: 'clinic.visits' } },
})
holds<
  Equal<
    ValueOf<typeof embeddedCounted>[number],
    { minutes: number; clinic: { name: string } | null; others: number }
  >
>()
const relatedCounted = clinics.related(1, 'visits', {
  fields: ['id'],
  aggregate: { n: { count: 'bills' } },
  orderBy: ['-n'],
})
holds<Equal<ValueOf<typeof relatedCounted>[number], { id: number; n: number }>>()
export async function iterated(): Promise<number[]> {
  const found: number[] = []
  const query = { aggregate: { n: { count: 'visits' } }, where: { n: { gt: 1 } } } as const
  for await (const { n } of clinics.iterate(query)) found.push(n)
  return found
}
// A function that takes the options of a list takes those without aggregates of its own.
const ofOptions = (query: Parameters<typeof clinics.list>[0]) =>
  clinics.list({ ...query, limit: 1 })
ofOptions({ where: { name: 'x' }, orderBy: ['name'] })

// Cursors cannot page an order by an aggregate.
clinics.iterate({ aggregate: { n: { count: 'visits' } }, orderBy: ['-name.nullslast'] })
visits.iterate({ orderBy: ['-clinic.name', 'id'] })
// @ts-expect-error: an aggregate of the query
clinics.iterate({ aggregate: { n: { count: 'visits' } }, orderBy: ['-n'] })
// @ts-expect-error: a declared aggregate
clinics.iterate({ orderBy: ['open_count'] })
// @ts-expect-error: a declared aggregate of a to-one relation
visits.iterate({ orderBy: ['clinic.open_count'] })

// ---------------------------------------------------------------- aggregates of embedded records

const countedBelow = clinics.list({
  fields: ['name'],
  include: {
    visits: {
      fields: ['minutes'],
      aggregate: {
        n: { count: 'bills', where: { amount: { gt: '5' } } },
        dearest: { max: 'bills.amount' },
        others: { count: 'clinic.visits' },
      },
      where: { n: { gt: 0 }, or: [{ dearest: { lt: '9' } }, { minutes: 1 }] },
      orderBy: ['-dearest.nullslast', 'minutes'],
      limit: 3,
      include: { tags: true },
    },
  },
})
holds<
  Equal<
    ValueOf<typeof countedBelow>[number],
    {
      name: string
      visits: {
        minutes: number
        n: number
        dearest: string | null
        others: number
        tags: { id: number; word: string }[]
      }[]
    }
  >
>()
const countedAbove = visits.get(1, {
  fields: ['id'],
  include: { clinic: { fields: ['name'], aggregate: { n: { count: 'visits' } } } },
})
holds<
  Equal<ValueOf<typeof countedAbove>, { id: number; clinic: { name: string; n: number } | null }>
>()
const wholeBelow = clinics.related(1, 'visits', {
  include: { bills: {}, clinic: { aggregate: { n: { sum: 'visits.minutes' } } } },
})
holds<Equal<NonNullable<ValueOf<typeof wholeBelow>[number]['clinic']>['n'], number | null>>()
holds<Equal<NonNullable<ValueOf<typeof wholeBelow>[number]['clinic']>['name'], string>>()

// @ts-expect-error: no such relation
clinics.list({ include: { visits: { aggregate: { n: { count: 'bils' } } } } })
// @ts-expect-error: a relation to one record
clinics.list({ include: { visits: { aggregate: { n: { count: 'clinic' } } } } })
// @ts-expect-error: no such function
clinics.list({ include: { visits: { aggregate: { n: { mean: 'bills.amount' } } } } })
// @ts-expect-error: the name of a column
clinics.list({ include: { visits: { aggregate: { minutes: { count: 'bills' } } } } })
// @ts-expect-error: the name of a relation
clinics.list({ include: { visits: { aggregate: { tags: { count: 'bills' } } } } })
// @ts-expect-error: no such column in the conditions
clinics.list({ include: { visits: { aggregate: { n: { count: 'bills', where: { x: 1 } } } } } })
// @ts-expect-error: no such order
clinics.list({ include: { visits: { aggregate: { n: { count: 'bills' } }, orderBy: ['m'] } } })
// @ts-expect-error: no such order, without aggregates
clinics.list({ include: { visits: { orderBy: ['n'] } } })
// @ts-expect-error: no such label in the conditions
clinics.list({ include: { visits: { aggregate: { n: { count: 'bills' } }, where: { m: 1 } } } })
// @ts-expect-error: no such column in the conditions, without aggregates
clinics.list({ include: { visits: { where: { n: 1 } } } })
// @ts-expect-error: a count is a number
clinics.list({ include: { visits: { aggregate: { n: { count: 'bills' } }, where: { n: 'x' } } } })
// @ts-expect-error: an integer
clinics.list({ include: { visits: { where: { minutes: 'x' } } } })
// @ts-expect-error: a label of the base, not of the embedded records
clinics.list({ aggregate: { n: { count: 'visits' } }, include: { visits: { orderBy: ['n'] } } })

// @ts-expect-error: no such relation
clinics.list({ aggregate: { n: { count: 'visitz' } } })
// @ts-expect-error: no such relation on the way
clinics.list({ aggregate: { n: { count: 'visits.bill' } } })
// @ts-expect-error: a relation to one record
visits.list({ aggregate: { n: { count: 'clinic' } } })
// @ts-expect-error: no such column
clinics.list({ aggregate: { n: { max: 'visits.size' } } })
// @ts-expect-error: hidden
clinics.list({ aggregate: { n: { max: 'visits.secret' } } })
// @ts-expect-error: no such path
clinics.list({ aggregate: { n: { max: 'visits.notes->size' } } })
// @ts-expect-error: a relation without a column
clinics.list({ aggregate: { n: { sum: 'visits' } } })
// @ts-expect-error: a column with count
clinics.list({ aggregate: { n: { count: 'visits.id' } } })
// @ts-expect-error: a column of the record itself
clinics.list({ aggregate: { n: { max: 'name' } } })
// @ts-expect-error: a column of one record
visits.list({ aggregate: { n: { max: 'clinic.name' } } })
// @ts-expect-error: text has no sum
clinics.list({ aggregate: { n: { sum: 'visits.tags.word' } } })
// @ts-expect-error: booleans have no maximum
clinics.list({ aggregate: { n: { max: 'visits.urgent' } } })
// @ts-expect-error: aggregates have no aggregates
clinics.list({ aggregate: { n: { max: 'visits.clinic.open_count' } } })
// @ts-expect-error: no such function
clinics.list({ aggregate: { n: { mean: 'visits.minutes' } } })
// @ts-expect-error: two functions
clinics.list({ aggregate: { n: { min: 'visits.minutes', max: 'visits.minutes' } } })
// @ts-expect-error: no function
clinics.list({ aggregate: { n: { where: { urgent: true } } } })
// @ts-expect-error: no such option
clinics.list({ aggregate: { n: { count: 'visits', limit: 3 } } })
// @ts-expect-error: no such column in the conditions
clinics.list({ aggregate: { n: { count: 'visits', where: { urgnt: true } } } })
// @ts-expect-error: no member
clinics.list({ aggregate: { n: { count: 'visits', where: { status: 'lost' } } } })
// @ts-expect-error: a column of another model
clinics.list({ aggregate: { n: { count: 'visits.bills', where: { minutes: 3 } } } })
// @ts-expect-error: the name of a column
clinics.list({ aggregate: { name: { count: 'visits' } } })
// @ts-expect-error: the name of a relation
clinics.list({ aggregate: { visits: { count: 'visits' } } })
// @ts-expect-error: the name of a declared aggregate
clinics.list({ aggregate: { open_count: { count: 'visits' } } })
// @ts-expect-error: the name of a group of conditions
clinics.list({ aggregate: { or: { count: 'visits' } } })
// @ts-expect-error: no such aggregate in the conditions
clinics.list({ aggregate: { n: { count: 'visits' } }, where: { m: 3 } })
// @ts-expect-error: a count is a number
clinics.list({ aggregate: { n: { count: 'visits' } }, where: { n: 'x' } })
// @ts-expect-error: a count is not null
clinics.list({ aggregate: { n: { count: 'visits' } }, where: { n: null } })
// @ts-expect-error: no such aggregate in a group of conditions
clinics.list({ aggregate: { n: { count: 'visits' } }, where: { or: [{ n: 1 }, { m: 3 }] } })
// @ts-expect-error: no such aggregate in the order
clinics.list({ aggregate: { n: { count: 'visits' } }, orderBy: ['-m'] })
// @ts-expect-error: records are not distinguished by them
clinics.list({ aggregate: { n: { count: 'visits' } }, distinctOn: ['n'], orderBy: ['n'] })
// @ts-expect-error: an aggregate that is not given
clinics.list({ where: { n: 3 } })
// @ts-expect-error: an aggregate that is not given
clinics.list({ orderBy: ['n'] })
