/** The world of the leak matrix: models with every kind of secret in them, and the same world without one of them. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  type ColumnRight,
  count,
  createApi,
  defineModel,
  type HookArgs,
  hasMany,
  hasOne,
  manyToMany,
  max,
  type Relation,
  sum,
} from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { frozenClock } from '../support/api.ts'
import type { TestDatabase } from '../support/databases.ts'
import { plainOnly } from '../support/path.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import type { Statement } from '../support/statements.ts'
import { createTables, replacingScript } from '../support/tables.ts'

/** What differs from the full world. */
export interface Variant {
  /** How the hidden column is declared: hidden, write-only, not at all, visible, or readable by keepers. */
  readonly vault: 'hidden' | 'writeOnly' | 'absent' | 'visible' | 'ruled'
  /** How the foreign key to shelves and its relations are declared: visible, not at all, or readable by keepers. */
  readonly shelf: 'visible' | 'absent' | 'ruled'
  /** How the model without meta is declared: unpublished, not at all, or published. */
  readonly audit: 'unpublished' | 'absent' | 'published'
  /** The on_delete of all relations to records with a foreign key; instead of `null`, `cascade` where the key is required. */
  readonly onDelete?: OnDelete | undefined
  /** Whether the keys of reviews are declared as generated, so that clients cannot choose them. */
  readonly keys?: 'generated'
}

export type OnDelete = 'cascade' | 'null'

export const full: Variant = { vault: 'hidden', shelf: 'visible', audit: 'unpublished' }

/** Columns that keepers and editors may read, with one rule of each kind. */
const ofKeepers = {
  role: { roles: ['keeper', 'editor'], any_of: true },
  now: ({ user }: HookArgs) => isKeeper(user),
  later: async ({ user }: HookArgs) => {
    await new Promise((resolve) => setImmediate(resolve))
    return isKeeper(user)
  },
} as const

const isKeeper = (user: { readonly roles?: readonly string[] } | null | undefined): boolean =>
  user?.roles?.some((role) => role === 'keeper' || role === 'editor') === true

/** Rows of the user; an admin sees all. */
const owned: AccessPolicy = {
  scope_query: (query, { user }) =>
    user?.roles?.includes('admin') ? query : query.where('owner_id', '=', user?.id ?? 0),
}

const isAdmin = (user: { readonly roles?: readonly string[] } | null | undefined): boolean =>
  user?.roles?.includes('admin') === true

/** The same rows by conditions that depend on the caller. */
const ownedByData: AccessPolicy = {
  scope: ({ user }) => isAdmin(user) || { owner_id: { eq: user?.id ?? 0 } },
}

/** The same rows by conditions that are the same for all callers. */
const ownedByValues: AccessPolicy = {
  scope: {
    or: [
      { owner_id: { eq: ({ user }) => user?.id ?? null } },
      { id: { isnull: ({ user }) => !isAdmin(user) } },
    ],
  },
}

/** Each form of a scope narrows some models, and each reads models of the others. */
const forms: Readonly<Record<string, AccessPolicy>> = {
  Book: ownedByData,
  Labelling: ownedByData,
  Review: ownedByData,
  Tagging: ownedByValues,
  Profile: ownedByValues,
  Shelf: ownedByValues,
}

/** Like `owned`, but refuses some callers outright: embedded relations are then URLs, and joins are 403. */
const refusing: AccessPolicy = {
  scope_query: (query, args) =>
    args.user?.id === viewer.id || args.user?.id === admin.id
      ? owned.scope_query?.(query, args)
      : false,
}

/** These have no policy, so a plan made for one caller may serve another. */
const open = { soft_delete: false, access_policy: {} } as const

const counter = (first: number) => {
  let next = first
  return () => next++
}

const id = { type: 'integer', primaryKey: true } as const
/** Only requests that name a declared aggregate read it, so that the other doors read what they did. */
const unsent = { sent: false }
const owner = {
  owner_id: { type: 'integer' },
  deleted: { type: 'boolean' },
} as const

/** The models of a variant. */
export function modelsOf(variant: Variant): readonly AnyModel[] {
  const { onDelete } = variant
  const models = plainModels(variant)
  return onDelete === undefined ? models : models.map((one) => acting(one, models, onDelete))
}

/** The model with this on_delete, also for the records of its junctions. */
function acting(model: AnyModel, models: readonly AnyModel[], onDelete: OnDelete): AnyModel {
  const relations = Object.entries(model.relations).flatMap<[string, Relation]>(
    ([name, relation]) => {
      if (relation.kind === 'belongsTo') return [[name, relation]]
      const isLinks = relation.kind === 'manyToMany'
      const children = models.find((one) =>
        isLinks ? one.table === relation.through : one.name === relation.target,
      )
      if (children?.meta === undefined || children.readOnly) return [[name, relation]]
      const key = isLinks ? relation.from : relation.key
      const isRequired = [key].flat().some((field) => children.columns[field]?.nullable !== true)
      const options = { on_delete: isRequired ? 'cascade' : onDelete } as const
      if (!isLinks) return [[name, { ...relation, ...options }]]
      return [
        [name, relation],
        [`${name}_links`, hasMany(children.name, key, options)],
      ]
    },
  )
  return { ...model, relations: Object.fromEntries(relations) }
}

function plainModels(variant: Variant): readonly AnyModel[] {
  const { vault, shelf, audit, keys } = variant
  const showsVault = vault === 'visible' || vault === 'ruled'
  const vaultColumn = (read: ColumnRight) =>
    vault === 'absent'
      ? {}
      : {
          vault_code: {
            type: 'string',
            nullable: true,
            ...(vault === 'hidden' ? { hidden: true } : {}),
            ...(vault === 'writeOnly' ? { writeOnly: true } : {}),
            ...(vault === 'ruled' ? { read } : {}),
          } as const,
        }
  /** The same secret value inside a json column with declared paths. */
  const vaultNotes = (read: ColumnRight) =>
    vault === 'absent'
      ? {}
      : {
          vault_notes: {
            type: 'json',
            nullable: true,
            ...(vault === 'hidden' || vault === 'writeOnly'
              ? { hidden: true }
              : { json: { code: 'text', 'of.n': 'integer' } as const }),
            ...(vault === 'ruled' ? { read } : {}),
          } as const,
        }
  const shelfColumn =
    shelf === 'absent'
      ? {}
      : {
          shelf_id: {
            type: 'integer',
            nullable: true,
            ...(shelf === 'ruled' ? { read: ofKeepers.role } : {}),
          } as const,
        }
  return [
    defineModel('Author', {
      columns: { id, name: { type: 'string' }, ...owner, ...vaultColumn(ofKeepers.role) },
      relations: {
        books: hasMany('Book', 'author_id'),
        profile: hasOne('Profile', 'author_id'),
        payrolls: hasMany('Payroll', 'author_id'),
      },
      aggregates: {
        book_count: count('books', { price: { gt: '10' } }, unsent),
        dearest: max('books.price', {}, unsent),
        star_total: sum('books.reviews.stars', {}, unsent),
        pay_total: sum('payrolls.amount', {}, unsent),
      },
      meta: {},
    }),
    defineModel('Book', {
      columns: {
        id,
        title: { type: 'string' },
        price: { type: 'decimal', precision: 8, scale: 2 },
        published: { type: 'date' },
        author_id: { type: 'integer', nullable: true },
        ...shelfColumn,
        ...owner,
        ...vaultColumn(ofKeepers.later),
        ...vaultNotes(ofKeepers.later),
      },
      search: ['title', ...(showsVault ? ['vault_code'] : [])] as never,
      relations: {
        author: belongsTo('Author', 'author_id'),
        ...(shelf === 'absent' ? {} : { shelf: belongsTo('Shelf', 'shelf_id') }),
        tags: manyToMany('Tag', { through: 'taggings', from: 'book_id', to: 'tag_id' }),
        reviews: hasMany('Review', 'book_id'),
        sightings: hasMany('Sighting', 'book_id'),
        ...(audit === 'absent' ? {} : { audits: hasMany('Audit', 'book_id') }),
      },
      meta: {},
    }),
    defineModel('Tag', {
      // The default key is for the one tag that a link by name may create.
      columns: {
        id: { ...id, default: 60 },
        name: { type: 'string' },
        slug: { type: 'string', unique: true, nullable: true },
        ...owner,
      },
      relations: {
        books: manyToMany('Book', { through: 'taggings', from: 'tag_id', to: 'book_id' }),
      },
      aggregates: { tagged: count('books', {}, unsent) },
      meta: {},
    }),
    defineModel('Tagging', {
      columns: {
        // So that lists of links can create records: new keys in ascending order, above the existing ones.
        id: { ...id, default: counter(1000) },
        book_id: { type: 'integer' },
        tag_id: { type: 'integer' },
        ...owner,
        owner_id: { type: 'integer', default: viewer.id },
      },
      relations: { book: belongsTo('Book', 'book_id'), tag: belongsTo('Tag', 'tag_id') },
      meta: {},
    }),
    defineModel('Review', {
      columns: {
        id: { ...id, ...(keys === 'generated' ? { generated: true } : {}) },
        book_id: { type: 'integer' },
        stars: { type: 'integer' },
        note: { type: 'text' },
        ...owner,
        ...vaultColumn(ofKeepers.now),
      },
      search: showsVault
        ? { columns: ['note', 'vault_code'], index: 'review_vault_search' }
        : { columns: ['note'], index: 'review_search' },
      relations: { book: belongsTo('Book', 'book_id') },
      meta: {},
    }),
    // Without a key, so it is served as a list, like a view.
    defineModel('Sighting', {
      columns: {
        book_id: { type: 'integer' },
        place: { type: 'string' },
        times: { type: 'integer' },
        ...owner,
        ...vaultColumn(ofKeepers.now),
      },
      relations: { book: belongsTo('Book', 'book_id') },
      readOnly: true,
      meta: {},
    }),
    defineModel('Profile', {
      columns: {
        id,
        author_id: { type: 'integer' },
        motto: { type: 'string' },
        payroll_id: { type: 'integer', nullable: true },
        ...owner,
      },
      relations: {
        author: belongsTo('Author', 'author_id'),
        payroll: belongsTo('Payroll', 'payroll_id'),
      },
      meta: {},
    }),
    defineModel('Payroll', {
      columns: { id, author_id: { type: 'integer' }, amount: { type: 'integer' } },
      relations: { author: belongsTo('Author', 'author_id') },
      meta: { ...open, role_map: { '*': 'admin' } },
    }),
    defineModel('Shelf', {
      columns: { id, place: { type: 'string' } },
      relations: {
        ...(shelf === 'absent' ? {} : { books: hasMany('Book', 'shelf_id') }),
        notes: hasMany('Note', 'shelf_id'),
        ledgers: hasMany('Ledger', 'shelf_id'),
        drafts: hasMany('Draft', 'shelf_id'),
        labels: manyToMany('Label', { through: 'labellings', from: 'shelf_id', to: 'label_id' }),
        ...(audit === 'absent' ? {} : { audits: hasMany('Audit', 'book_id') }),
      },
      meta: open,
    }),
    defineModel('Label', {
      columns: { id, word: { type: 'string' } },
      relations: {
        shelves: manyToMany('Shelf', { through: 'labellings', from: 'label_id', to: 'shelf_id' }),
      },
      meta: open,
    }),
    // All related resources require another role.
    defineModel('Crate', {
      columns: { id, size: { type: 'integer' } },
      relations: { ledgers: hasMany('Ledger', 'shelf_id') },
      meta: open,
    }),
    // Every role may list notes; only the policy distinguishes callers.
    defineModel('Box', {
      columns: { id, size: { type: 'integer' } },
      relations: { notes: hasMany('Note', 'shelf_id') },
      meta: open,
    }),
    defineModel('Labelling', {
      columns: { id, shelf_id: { type: 'integer' }, label_id: { type: 'integer' }, ...owner },
      relations: { shelf: belongsTo('Shelf', 'shelf_id'), label: belongsTo('Label', 'label_id') },
      meta: {},
    }),
    defineModel('Note', {
      columns: { id, shelf_id: { type: 'integer' }, text: { type: 'string' }, ...owner },
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      meta: { access_policy: refusing },
    }),
    defineModel('Ledger', {
      columns: { id, shelf_id: { type: 'integer' }, amount: { type: 'integer' } },
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      meta: { ...open, role_map: { '*': 'admin' } },
    }),
    defineModel('Draft', {
      columns: { id, shelf_id: { type: 'integer' }, line: { type: 'string' } },
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      meta: { ...open, role_map: { '*': 'editor' } },
    }),
    defineModel('Wish', {
      columns: { id, shelf_id: { type: 'integer' }, line: { type: 'string' } },
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      // Every authenticated user may write wishes; only admins may read them.
      meta: { ...open, role_map: { GET: 'admin', '*': true } },
    }),
    defineModel('Cart', { columns: { id, size: { type: 'integer' } }, meta: open }),
    // Whoever may see them, no two loans of a cart overlap.
    defineModel('Loan', {
      columns: {
        id,
        cart_id: { type: 'integer' },
        day_from: { type: 'integer' },
        day_until: { type: 'integer' },
        ...owner,
      },
      relations: { cart: belongsTo('Cart', 'cart_id') },
      exclude: { name: 'one loan', cart_id: 'equal', period: ['day_from', 'day_until'] },
      meta: {},
    }),
    ...(audit === 'absent'
      ? []
      : [
          defineModel('Audit', {
            columns: { id, book_id: { type: 'integer' }, note: { type: 'string' } },
            relations: { book: belongsTo('Book', 'book_id') },
            ...(audit === 'published' ? { meta: { soft_delete: false, access_policy: {} } } : {}),
          }),
        ]),
  ]
}

const through = (from: string, to: string) => ({ through: 'assignments', from, to })

/**
 * Models of users with roles in each form: in a column, by a foreign key, and by links in a table that is no published model. A test
 * that passes one as API_USER_MODEL makes its roles read-only.
 */
export const Member = defineModel('Member', {
  columns: {
    id,
    name: { type: 'string' },
    roles: { type: 'json', nullable: true },
    crew_id: { type: 'integer', nullable: true },
    ...owner,
  },
  relations: { crew: belongsTo('Crew', 'crew_id') },
  meta: {},
})
export const Clerk = defineModel('Clerk', {
  columns: { id, name: { type: 'string' }, duty_id: { type: 'integer', nullable: true }, ...owner },
  relations: { roles: belongsTo('Duty', 'duty_id') },
  meta: {},
})
export const Agent = defineModel('Agent', {
  columns: { id, name: { type: 'string' }, ...owner },
  relations: { roles: manyToMany('Duty', through('agent_id', 'duty_id')) },
  meta: {},
})
const Duty = defineModel('Duty', {
  columns: { id, name: { type: 'string' }, ...owner },
  relations: { agents: manyToMany('Agent', through('duty_id', 'agent_id')) },
  meta: {},
})
const Assignment = defineModel('Assignment', {
  columns: {
    agent_id: { type: 'integer', primaryKey: true },
    duty_id: { type: 'integer', primaryKey: true },
  },
})
const Crew = defineModel('Crew', {
  columns: { id, name: { type: 'string' }, ...owner },
  relations: { members: hasMany('Member', 'crew_id') },
  meta: {},
})
export const people: readonly AnyModel[] = [Crew, Member, Clerk, Agent, Duty, Assignment]

const config: ApiConfig = {
  API_LIST_ETAGS: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ACCESS_POLICY: ({ name }) => forms[name] ?? owned,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
  API_HEALTH_ROUTE: '/health',
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

export const viewer = { id: 7, roles: ['viewer'] }
export const admin = { id: 1, roles: ['admin'] }
/** Sees the rows of the viewer, and the columns of keepers. */
export const keeper = { id: 7, roles: ['viewer', 'keeper'] }
/** May list and read resources that admins may not, and may not read some that admins may. */
export const editor = { id: 8, roles: ['editor'] }

/** The API of a variant, for any user. */
export const sharedApi = (
  db: TestDatabase,
  variant: Variant,
  more: ApiConfig = {},
  options: Partial<Parameters<typeof createApi>[0]> = {},
): Api =>
  createApi({
    db: db.kysely,
    models: [...modelsOf(variant), ...people],
    config: { ...config, ...more },
    clock: frozenClock(),
    onWarning: () => {},
    ...(plainOnly ? { dialect: plainDialect(db.kysely) } : {}),
    ...options,
  })

/** The same API, with this user in every request. */
export const asUser = (api: Api, user: unknown): Api => ({
  ...api,
  handle: (request) => api.handle({ ...request, user }),
  answer: (request) => api.answer({ ...request, user }),
})

/** The API of a variant, with this user in every request. */
export const apiOf = (
  db: TestDatabase,
  variant: Variant,
  user: unknown,
  more: ApiConfig = {},
): Api => asUser(sharedApi(db, variant, more), user)

type Row = Readonly<Record<string, unknown>>

const mine = { owner_id: 7, deleted: false }
const foreign = { owner_id: 8, deleted: false }
const deleted = { owner_id: 7, deleted: true }

/** Every row of the full world, by model. */
export const rows: Readonly<Record<string, readonly Row[]>> = {
  Author: [
    { id: 1, name: 'Ann', vault_code: 'v-ann', ...mine },
    { id: 2, name: 'Bob', vault_code: null, ...mine },
    { id: 3, name: 'Cid', vault_code: 'v-cid', ...mine },
    { id: 11, name: 'Foreign Author', vault_code: 'v-11', ...foreign },
    { id: 21, name: 'Deleted Author', vault_code: 'v-21', ...deleted },
  ],
  Book: [
    book(1, 'Arrows', '10.00', 1, 'v-1', mine),
    book(2, 'Bread', '20.00', 2, 'v-2', mine),
    book(3, 'Clouds', '30.00', 11, 'v-3', mine),
    book(4, 'Dust', '40.00', 21, null, mine),
    book(5, 'Embers', '50.00', null, 'v-5', mine),
    book(11, 'Foreign Book', '900.00', 1, 'v-11', foreign),
    book(12, 'Arrows', '1.00', 2, 'v-12', foreign),
    book(13, 'Foreign Alone', '905.00', 11, 'v-13', foreign),
    book(21, 'Deleted Book', '800.00', 1, 'v-21', deleted),
    book(22, 'Bread', '2.00', 3, 'v-22', deleted),
    book(23, 'Deleted Alone', '805.00', 21, 'v-23', deleted),
    book(24, 'Deleted Below', '806.00', 11, 'v-24', deleted),
  ],
  Tag: [
    { id: 1, name: 'classic', slug: 'classic', ...mine },
    { id: 2, name: 'new', slug: 'new', ...mine },
    { id: 11, name: 'foreign tag', slug: 'foreign', ...foreign },
    { id: 21, name: 'deleted tag', slug: 'deleted', ...deleted },
  ],
  Tagging: [
    { id: 1, book_id: 1, tag_id: 1, ...mine },
    { id: 2, book_id: 2, tag_id: 2, ...mine },
    { id: 3, book_id: 1, tag_id: 11, ...mine },
    { id: 4, book_id: 1, tag_id: 21, ...mine },
    { id: 5, book_id: 11, tag_id: 1, ...mine },
    { id: 6, book_id: 21, tag_id: 1, ...mine },
    { id: 11, book_id: 3, tag_id: 1, ...foreign },
    { id: 21, book_id: 4, tag_id: 2, ...deleted },
    { id: 22, book_id: 2, tag_id: 11, ...deleted },
  ],
  Review: [
    review(1, 1, 5, mine),
    review(2, 2, 2, mine),
    review(11, 1, 4, foreign),
    review(12, 5, 9, foreign),
    review(21, 2, 3, deleted),
    review(22, 5, 8, deleted),
    review(23, 11, 7, deleted),
  ],
  Sighting: [
    { book_id: 1, place: 'hall', times: 2, vault_code: 's-1', ...mine },
    { book_id: 1, place: 'hall', times: 2, vault_code: 's-2', ...mine },
    { book_id: 2, place: 'attic', times: 5, vault_code: 's-3', ...mine },
    { book_id: 11, place: 'yard', times: 1, vault_code: 's-4', ...mine },
    { book_id: 1, place: 'foreign cellar', times: 90, vault_code: 's-5', ...foreign },
    { book_id: 5, place: 'foreign cellar', times: 91, vault_code: 's-6', ...foreign },
    { book_id: 2, place: 'deleted shed', times: 70, vault_code: 's-7', ...deleted },
    { book_id: 5, place: 'deleted shed', times: 71, vault_code: 's-8', ...deleted },
  ],
  Profile: [
    { id: 1, author_id: 1, motto: 'Write', ...mine },
    { id: 11, author_id: 2, motto: 'Foreign motto', ...foreign },
    { id: 21, author_id: 3, motto: 'Deleted motto', ...deleted },
  ],
  Payroll: [
    { id: 1, author_id: 1, amount: 1000 },
    { id: 2, author_id: 2, amount: 2000 },
  ],
  Shelf: [
    { id: 1, place: 'North' },
    { id: 2, place: 'South' },
  ],
  Label: [
    { id: 1, word: 'loan' },
    { id: 2, word: 'rare' },
  ],
  Crate: [{ id: 1, size: 9 }],
  Box: [{ id: 1, size: 3 }],
  Labelling: [
    { id: 1, shelf_id: 1, label_id: 1, ...mine },
    { id: 11, shelf_id: 1, label_id: 2, ...foreign },
    { id: 21, shelf_id: 2, label_id: 1, ...deleted },
  ],
  Note: [
    { id: 1, shelf_id: 1, text: 'dust', ...mine },
    { id: 11, shelf_id: 1, text: 'foreign note', ...foreign },
    { id: 21, shelf_id: 2, text: 'deleted note', ...deleted },
  ],
  Ledger: [
    { id: 1, shelf_id: 1, amount: 300 },
    { id: 2, shelf_id: 2, amount: 400 },
  ],
  Draft: [{ id: 1, shelf_id: 1, line: 'once upon a time' }],
  Cart: [{ id: 1, size: 2 }],
  Loan: [
    { id: 1, cart_id: 1, day_from: 1, day_until: 5, ...mine },
    { id: 11, cart_id: 1, day_from: 20, day_until: 30, ...foreign },
    { id: 21, cart_id: 1, day_from: 40, day_until: 50, ...deleted },
  ],
  Wish: [{ id: 1, shelf_id: 1, line: 'more light' }],
  Audit: [
    { id: 1, book_id: 1, note: 'checked' },
    { id: 2, book_id: 2, note: 'checked twice' },
  ],
  Crew: [{ id: 1, name: 'night', ...mine }],
  Member: [
    { id: 1, name: 'Dan', roles: ['viewer'], crew_id: 1, ...mine },
    { id: 2, name: 'Eve', roles: null, crew_id: null, ...mine },
    { id: 11, name: 'Foreign member', roles: ['keeper'], crew_id: 1, ...foreign },
    { id: 21, name: 'Deleted member', roles: ['editor'], crew_id: 1, ...deleted },
  ],
  Clerk: [
    { id: 1, name: 'Fay', duty_id: 2, ...mine },
    { id: 11, name: 'Foreign clerk', duty_id: 1, ...foreign },
    { id: 21, name: 'Deleted clerk', duty_id: 1, ...deleted },
  ],
  Agent: [
    { id: 1, name: 'Gil', ...mine },
    { id: 11, name: 'Foreign agent', ...foreign },
    { id: 21, name: 'Deleted agent', ...deleted },
  ],
  Duty: [
    { id: 1, name: 'admin', ...mine },
    { id: 2, name: 'viewer', ...mine },
    { id: 11, name: 'foreign duty', ...foreign },
    { id: 21, name: 'deleted duty', ...deleted },
  ],
  Assignment: [
    { agent_id: 1, duty_id: 2 },
    { agent_id: 1, duty_id: 11 },
    { agent_id: 11, duty_id: 1 },
  ],
}

function book(
  key: number,
  title: string,
  price: string,
  author: number | null,
  vault: string | null,
  owning: Row,
): Row {
  const published = `20${10 + key}-0${1 + (key % 9)}-15`
  return {
    id: key,
    title,
    price,
    published,
    author_id: author,
    shelf_id: 1 + (key % 2),
    vault_code: vault,
    ...owning,
  }
}

function review(key: number, of: number, stars: number, owning: Row): Row {
  // Words that a full-text index finds whole, and none of which is part of another one.
  const [note, vault_code] = [`note remark${key}x`, `code${key}x`]
  return { id: key, book_id: of, stars, note, vault_code, ...owning }
}

/** Returns another value of the same type for a column; keys and owners stay unchanged. */
export function another(column: string, value: unknown): unknown {
  if (column === 'id' || column === 'owner_id' || column === 'deleted') return value
  if (column === 'published') return '1999-12-31'
  if (column === 'price') return '123.45'
  if (typeof value === 'number') return value + 1
  return typeof value === 'string' ? `other ${value}` : value
}

export const declared: readonly AnyModel[] = [...modelsOf(full), ...people]

/** Creates the tables without foreign keys, because a world may lack a row that another row refers to. */
export async function createWorld(db: TestDatabase): Promise<void> {
  await createTables(
    db,
    declared.map((model) => ({ ...model, relations: {} })),
  )
  await db.execScript(searchIndexes[db.name])
}

const kept = {
  added:
    'insert into review_search (rowid, note) values (new.id, new.note); insert into review_vault_search (rowid, note, vault_code) values (new.id, new.note, new.vault_code);',
  removed:
    "insert into review_search (review_search, rowid, note) values ('delete', old.id, old.note); insert into review_vault_search (review_vault_search, rowid, note, vault_code) values ('delete', old.id, old.note, old.vault_code);",
}

/** The full-text indexes of reviews, with the secret column and without it. */
const searchIndexes = {
  sqlite: `create virtual table review_search using fts5(note, content='reviews', content_rowid='id');
    create virtual table review_vault_search using fts5(note, vault_code, content='reviews', content_rowid='id');
    create trigger review_added after insert on reviews begin ${kept.added} end;
    create trigger review_removed after delete on reviews begin ${kept.removed} end;
    create trigger review_changed after update on reviews begin ${kept.removed} ${kept.added} end`,
  postgres: `alter table reviews
    add review_search tsvector generated always as (to_tsvector('simple', coalesce(note, ''))) stored,
    add review_vault_search tsvector generated always as (to_tsvector('simple', coalesce(note, '') || ' ' || coalesce(vault_code, ''))) stored`,
  mysql: `alter table reviews add fulltext index review_search (note);
    alter table reviews add fulltext index review_vault_search (note, vault_code)`,
} as const

/** Restores the rows of one table to those of the full world. */
export async function restoreTable(db: TestDatabase, model: AnyModel): Promise<void> {
  await db.execOften(tableScript(db, model, rows[model.name] ?? []))
}

type Change = (row: Row, model: string) => Row | null

/** Further rows, by model. */
export type OtherRows = Readonly<Record<string, readonly Row[]>>

const unchanged: Change = (row) => row

/** The scripts that fill a table, by table. Some worlds are filled hundreds of times. */
const worldScripts = new WeakMap<TestDatabase, WeakMap<Change, ReadonlyMap<string, string>>>()

/** Empties the tables and fills them with the rows that `change` returns, and with `others`. */
export async function fillWorld(
  db: TestDatabase,
  change: Change = unchanged,
  others?: OtherRows,
): Promise<void> {
  await db.execOften([...scriptsOf(db, change, others).values()].join('; '))
}

/** Restores the tables that are named in statements other than SELECT. There are no foreign keys, so no other table has changed. */
export async function undo(
  db: TestDatabase,
  statements: readonly Pick<Statement, 'sql'>[],
  change: Change = unchanged,
  others?: OtherRows,
): Promise<void> {
  const scripts = scriptsOf(db, change, others)
  const needed = [...writtenTables(statements)].flatMap((name) => scripts.get(name) ?? [])
  if (needed.length > 0) await db.execOften(needed.join('; '))
}

/** The tables that statements other than SELECT name. */
export const writtenTables = (statements: readonly Pick<Statement, 'sql'>[]): Set<string> =>
  tablesIn(statements.filter(({ sql }) => !sql.startsWith('select ')))

/** The tables that statements name. */
export function tablesIn(statements: readonly Pick<Statement, 'sql'>[]): Set<string> {
  const names = statements.flatMap(({ sql }) =>
    [...sql.matchAll(/["`](\w+)["`]/g)].map(([, name]) => name as string),
  )
  return new Set(names.filter((name) => declared.some(({ table }) => table === name)))
}

const scriptsOf = (
  db: TestDatabase,
  change: Change,
  others: OtherRows | undefined,
): ReadonlyMap<string, string> =>
  others === undefined ? keptScripts(db, change) : scriptsByTable(db, change, others)

function keptScripts(db: TestDatabase, change: Change): ReadonlyMap<string, string> {
  const known = worldScripts.get(db) ?? new WeakMap<Change, ReadonlyMap<string, string>>()
  worldScripts.set(db, known)
  const scripts = known.get(change) ?? scriptsByTable(db, change, {})
  known.set(change, scripts)
  return scripts
}

function scriptsByTable(
  db: TestDatabase,
  change: Change,
  others: OtherRows,
): ReadonlyMap<string, string> {
  return new Map(
    declared.map((model) => {
      const left = (rows[model.name] ?? [])
        .map((row) => change(row, model.name))
        .filter((row) => row !== null)
      return [model.table, tableScript(db, model, [...(others[model.name] ?? []), ...left])]
    }),
  )
}

const tableScript = (db: TestDatabase, model: AnyModel, all: readonly Row[]): string =>
  replacingScript(db, model, model.name === 'Book' ? all.map(withNotes) : all)

/** Fills the json column with the secret value. */
function withNotes(row: Row): Row {
  const code = row.vault_code
  if (typeof code !== 'string') return row
  return { ...row, vault_notes: { code, of: { n: code.length + code.charCodeAt(0) } } }
}
