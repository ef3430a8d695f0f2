/** The callbacks in the meta of a model are typed by its columns; compiled, never run. */
import {
  belongsTo,
  defineBase,
  defineModel,
  hasMany,
  type RowOf,
  type WriteCallback,
} from '@model-api/core'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined
type Flat<T> = { [K in keyof T]: T[K] }

const id = { type: 'integer', primaryKey: true, generated: true } as const
const columns = {
  id,
  title: { type: 'string' },
  state: { type: 'enum', enum: ['open', 'done'] },
  secret: { type: 'string', hidden: true, nullable: true },
} as const
const relations = { pages: hasMany('Page', 'book_id') } as const

/** Records, and the stored record, have the columns of the model; members of an enum stay what they are. */
export const Book = defineModel('Book', {
  columns,
  relations,
  meta: {
    add_callback: (book) => ({
      ...book,
      title: book.title.trim(),
      secret: 'made here',
      state: 'open',
    }),
    update_callback: (book, _model, { before }) => {
      holds<Equal<(typeof book)['state'], 'open' | 'done'>>()
      if (before?.secret === null)
        return { title: `${book.title.trim()} (${book.id})`, state: 'done' }
      return book
    },
    remove_callback: (book) => {
      if (book.secret !== null) throw new Error(book.title)
      return book
    },
    async post_add_callback(book) {
      return { ...book, title: book.title.trim() }
    },
    dump_callback: (data) => ({
      ...data,
      shout: data.title?.toUpperCase(),
      count: data.pages?.length,
    }),
    get_dump_callback: (data) => ({ pages: data.pages }),
  },
})
holds<Equal<keyof RowOf<typeof Book>, 'id' | 'title' | 'state'>>()

export const misspelt = [
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error there is no such column
      add_callback: (book) => ({ ...book, title: book.titel }),
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error the model has no column "titel"
      patch_update_callback: (book) => ({ ...book, titel: 'x' }),
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error the model has no column "titel"
      async post_add_callback(book) {
        return { ...book, titel: 'x' }
      },
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error the enum has no such member
      update_callback: (book) => ({ ...book, state: 'opn' }),
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error there is no such column
      remove_callback: (book, _model, { before }) => (before?.titel === 'x' ? book : book),
    },
  }),
  defineModel('Book', {
    columns,
    relations,
    meta: {
      // @ts-expect-error there is no such column
      dump_callback: (data) => ({ ...data, shout: data.titel }),
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error the callback is misspelt
      ad_callback: (book: unknown) => book,
    },
  }),
  defineModel('Book', {
    columns,
    meta: {
      // @ts-expect-error the database makes the key after the callback
      add_callback: (book) => ({ ...book, title: `${book.id.toFixed()}` }),
    },
  }),
  defineBase({ columns: { id, title: columns.title } }).define('Book', {
    columns: { state: columns.state },
    meta: {
      add_callback: (book) => ({ ...book, title: book.title.trim(), state: 'open' }),
      // @ts-expect-error there is no such column
      update_callback: (book) => ({ ...book, title: book.titel }),
    },
  }),
]

/** Callbacks that are declared elsewhere, with other types of records, leave the types of the model as they are. */
declare const shared: WriteCallback
declare function unchanged<T extends object>(record: T): Promise<T>
interface Row {
  readonly id: number
  readonly title: string
  readonly state: 'open' | 'done'
}
const Shared = defineModel('Book', {
  columns,
  meta: {
    add_callback: shared,
    update_callback: unchanged,
    remove_callback: async (book) => book,
    patch_update_callback: (book: Row) => book,
    put_update_callback: (book): Row => book,
    delete_remove_callback: (book) => {
      throw new Error(book.title)
    },
  },
})
holds<Equal<keyof RowOf<typeof Shared>, 'id' | 'title' | 'state'>>()
holds<Equal<keyof (typeof Shared)['relations'], never>>()
holds<Equal<keyof (typeof Shared)['computed'], never>>()

declare const inDevelopment: boolean
export const Issue = defineModel('Issue', {
  columns: {
    id,
    uid: { type: 'uuid', generated: 'uuid' },
    project_id: { type: 'integer' },
    number: { type: 'integer', readOnly: true },
    title: { type: 'string', immutable: true },
    pin: { type: 'string', writeOnly: true },
    note: { type: 'text', nullable: true },
    state: { type: 'enum', enum: ['open', 'done'], default: 'open' },
    due: { type: 'date', nullable: true, default: null },
    author_id: { type: 'integer', readOnly: true, default: ({ user }) => user.id },
    place: { type: 'integer', default: async () => (inDevelopment ? null : 1) },
    rank: { type: 'integer', hasDefault: true },
    salary: { type: 'integer', read: 'payroll' },
    estimate: { type: 'integer', write: 'owner' },
    hidden: { type: 'integer', hidden: true },
    internal: { type: 'integer', hidden: true, default: 1 },
    created: { type: 'datetime', managed: 'created' },
    updated: { type: 'datetime', managed: 'updated' },
  },
  computed: { loud: { type: 'string', expression: (eb) => eb.fn('upper', ['title']) } },
  relations: { project: belongsTo('Project', 'project_id') },
  unique: [['project_id', 'number']],
  meta: {
    add_callback: (issue) => {
      holds<
        Equal<
          Flat<typeof issue>,
          {
            uid: string
            project_id: number
            title: string
            pin: string
            state: 'open' | 'done'
            due: string | null
            author_id: number
            internal: number
            created: string
            updated: string
            id?: number
            number?: number
            note?: string | null
            place?: number
            rank?: number
            salary?: number
            estimate?: number
            hidden?: number
            loud?: string
          }
        >
      >()
      return issue
    },
    update_callback: (issue) => {
      holds<Equal<Flat<typeof issue>, Flat<Required<typeof issue>>>>()
      holds<Equal<typeof issue.project_id, number>>()
      holds<Equal<typeof issue.note, string | null>>()
      holds<Equal<typeof issue.loud, string>>()
      return { number: issue.number }
    },
  },
})

// A list of links creates records of a junction table with its keys and defaults only.
const rank = { type: 'string' } as const
const junction = { person_id: { type: 'integer' }, team_id: { type: 'integer' } } as const
const ofLink = { person: belongsTo('Person', 'person_id'), team: belongsTo('Team', 'team_id') }
defineModel('Membership', {
  columns: { id, ...junction, rank },
  unique: [['person_id', 'team_id']],
  relations: ofLink,
  meta: {
    // @ts-expect-error it may be missing
    add_callback: (link) => ({ ...link, rank: link.rank.trim() }),
    update_callback: (link) => ({ ...link, rank: link.rank.trim() }),
  },
})
defineModel('Membership', {
  columns: {
    person_id: { type: 'integer', primaryKey: true },
    team_id: { type: 'integer', primaryKey: true },
    rank,
    joined: { type: 'datetime', managed: 'created' },
  },
  meta: { add_callback: (link) => ({ ...link, rank: link.rank ?? link.joined.slice(0, 10) }) },
})

// In API_USER_MODEL clients do not write roles and credentials.
defineModel('User', {
  columns: {
    id,
    name: { type: 'string' },
    roles: { type: 'list', items: 'string' },
    role_id: { type: 'integer' },
    passwordHash: { type: 'string' },
    token_kind: { type: 'string', hidden: false },
  },
  relations: { roles: belongsTo('Role', 'role_id') },
  meta: {
    add_callback: (user) => {
      type Missing = 'id' | 'roles' | 'role_id' | 'passwordHash'
      holds<Equal<Flat<Pick<typeof user, Missing>>, Flat<Partial<Pick<typeof user, Missing>>>>>()
      return { ...user, name: user.name.trim(), token_kind: user.token_kind.trim() }
    },
  },
})
