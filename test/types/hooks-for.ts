/** hooksFor types the callbacks of a model by its columns; compiled, never run. */
import { belongsTo, defineModel, hooksFor } from '@model-api/core'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined
type Flat<T> = { [K in keyof T]: T[K] }

const id = { type: 'integer', primaryKey: true, generated: true } as const
const columns = {
  id,
  title: { type: 'string' },
  secret: { type: 'string', hidden: true, nullable: true },
} as const
const Draft = defineModel('Book', { columns })

const hooks = hooksFor(Draft, {
  add_callback: (book) => ({ ...book, title: book.title.trim(), secret: 'made here' }),
  update_callback: (book) => ({ title: `${book.title.trim()} (${book.id})` }),
  dump_callback: (data) => ({ ...data, shout: data.title?.toUpperCase() }),
})

/** Its result can be spread into meta. */
export const Book = defineModel('Book', { columns, meta: { ...hooks } })

hooksFor(Draft, {
  // @ts-expect-error there is no such column
  add_callback: (book) => ({ ...book, title: book.titel }),
})

hooksFor(Draft, {
  // @ts-expect-error the callback is misspelt
  ad_callback: (book: unknown) => book,
})

hooksFor(Draft, {
  // @ts-expect-error the database makes the key after the callback
  add_callback: (book) => ({ ...book, title: `${book.id.toFixed()}` }),
})

declare const inDevelopment: boolean
const Issue = defineModel('Issue', {
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
})
hooksFor(Issue, {
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
})

// A list of links creates records of a junction table with its keys and defaults only.
const rank = { type: 'string' } as const
const junction = { person_id: { type: 'integer' }, team_id: { type: 'integer' } } as const
const relations = { person: belongsTo('Person', 'person_id'), team: belongsTo('Team', 'team_id') }
hooksFor(
  defineModel('Membership', {
    columns: { id, ...junction, rank },
    unique: [['person_id', 'team_id']],
    relations,
  }),
  {
    // @ts-expect-error it may be missing
    add_callback: (link) => ({ ...link, rank: link.rank.trim() }),
    update_callback: (link) => ({ ...link, rank: link.rank.trim() }),
  },
)
hooksFor(
  defineModel('Membership', {
    columns: {
      person_id: { type: 'integer', primaryKey: true },
      team_id: { type: 'integer', primaryKey: true },
      rank,
      joined: { type: 'datetime', managed: 'created' },
    },
  }),
  {
    add_callback: (link) => ({ ...link, rank: link.rank ?? link.joined.slice(0, 10) }),
  },
)

// In API_USER_MODEL clients do not write roles and credentials.
hooksFor(
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
  }),
  {
    add_callback: (user) => {
      type Missing = 'id' | 'roles' | 'role_id' | 'passwordHash'
      holds<Equal<Flat<Pick<typeof user, Missing>>, Flat<Partial<Pick<typeof user, Missing>>>>>()
      return { ...user, name: user.name.trim(), token_kind: user.token_kind.trim() }
    },
  },
)
