/**
 * Callers who share no rows: each has a copy of the rows of the leak matrix in a separate range of keys, including deleted rows
 * and rows that no caller may see. So nothing that one caller does changes what another one may see.
 */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import type { TestDatabase } from '../support/databases.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { full, modelsOf, rows } from './world.ts'

type Row = Readonly<Record<string, unknown>>

export interface Caller {
  readonly name: string
  /** The owner of the caller's rows. */
  readonly id: number
  readonly roles: readonly string[]
  /** Added to every key of the rows of the leak matrix. */
  readonly base: number
}

const caller = (name: string, id: number, ...roles: string[]): Caller => ({
  name,
  id,
  roles,
  base: id * 1000 + 1000,
})

/** `nobody` sends no credential. */
export const callers: readonly Caller[] = [
  caller('admin', 1, 'admin'),
  caller('viewer', 7, 'viewer'),
  caller('editor', 8, 'editor'),
  caller('reader', 9, 'viewer'),
  caller('chief', 10, 'admin', 'editor'),
  caller('nobody', 0),
]

/** How callers are identified: the host passes the user, or the service looks up user and roles for each request. */
export type Knowing = 'host' | 'basic'

const own: AccessPolicy = {
  scope_query: (query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
}

const ownByData: AccessPolicy = { scope: { owner_id: { eq: ({ user }) => user?.id ?? 0 } } }

const ownInTime: AccessPolicy = {
  async scope({ user }) {
    await new Promise((resolve) => setImmediate(resolve))
    return { owner_id: { in: [user?.id ?? null] } }
  },
}

/** Each form of a scope narrows some models, and each reads models of the others. */
const forms: Readonly<Record<string, AccessPolicy>> = {
  Book: ownByData,
  Labelling: ownByData,
  Review: ownByData,
  Tagging: ownInTime,
  Profile: ownInTime,
  Shelf: ownByData,
}

/** Like `own`, but asynchronous, and refuses some callers outright. */
const refusing: AccessPolicy = {
  async scope_query(query, args) {
    await new Promise((resolve) => setImmediate(resolve))
    const refused = !args.user || args.user.id === 8 || args.user.id === 9
    return refused ? false : own.scope_query?.(query, args)
  },
}

const id = { type: 'integer', primaryKey: true } as const

/** A junction whose primary key is its two foreign keys. A generated key would depend on the order in which callers write. */
const junction = (model: AnyModel, ...names: readonly [string, string]): AnyModel => {
  const { id: _, ...columns } = model.columns
  const key = (name: string) => ({ [name]: { type: 'integer', primaryKey: true } as const })
  const owner_id = {
    type: 'integer',
    default: ({ user }: { user?: { id?: unknown } | null }) => Number(user?.id ?? 0),
  } as const
  return { ...model, columns: { ...columns, ...key(names[0]), ...key(names[1]), owner_id } }
}

/** Relations to models that only roles restrict, not policies: a plan made for one caller may serve others. */
const ofCrate = {
  ledgers: hasMany('Ledger', 'shelf_id'),
  drafts: hasMany('Draft', 'shelf_id'),
  wishes: hasMany('Wish', 'shelf_id'),
}

const published: readonly AnyModel[] = modelsOf(full).map((model) => {
  if (model.name === 'Tagging') return junction(model, 'book_id', 'tag_id')
  if (model.name === 'Labelling') return junction(model, 'shelf_id', 'label_id')
  if (model.name === 'Crate') return { ...model, relations: ofCrate }
  // Steps write records by their keys.
  if (model.name === 'Sighting') {
    const { meta: _, ...unpublished } = model
    return unpublished
  }
  if (model.name === 'Note') return { ...model, meta: { access_policy: refusing } }
  return model
})

const User = defineModel('User', {
  columns: { id, name: { type: 'string', unique: true }, secret: { type: 'string' } },
  relations: { roles: manyToMany('Role', { through: 'grants', from: 'user_id', to: 'role_id' }) },
  methods: {
    check: async (user: { secret: string }, secret: string) => {
      await new Promise((resolve) => setImmediate(resolve))
      return user.secret === secret
    },
  },
})
const Role = defineModel('Role', { columns: { id, name: { type: 'string' } } })
const Grant = defineModel('Grant', {
  columns: { id, user_id: { type: 'integer' }, role_id: { type: 'integer' } },
})
const people = [User, Role, Grant] as const

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ACCESS_POLICY: ({ name }) => forms[name] ?? own,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
}

const basic: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['basic'],
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
}

/** One service on these tables. The clock is fixed at one moment, but durations are measured. */
export const serviceOf = (db: TestDatabase, knowing: Knowing, options: object = {}): Api => {
  const now = Date.parse('2026-01-02T03:04:05.678Z')
  return createApi({
    db: db.kysely,
    models: [...published, ...people],
    config: { ...config, ...(knowing === 'basic' ? basic : {}) },
    clock: { now: () => now, elapsed: () => performance.now() },
    onWarning: () => {},
    ...options,
  })
}

/** The parts of a request that identify the caller. */
export const credentialOf = (
  { id: key, name, roles }: Caller,
  knowing: Knowing,
): { readonly user?: unknown; readonly headers: Readonly<Record<string, string>> } => {
  if (name === 'nobody') return { headers: {} }
  if (knowing === 'host') return { user: { id: key, roles }, headers: {} }
  return { headers: { authorization: `Basic ${btoa(`${name}:secret of ${name}`)}` } }
}

/** The owner of rows that no caller sees. */
const stranger = 99

const keys = ['id', 'author_id', 'book_id', 'tag_id', 'shelf_id', 'label_id', 'payroll_id']

/** Copies a row of the leak matrix for a caller. */
function copied(row: Row, model: AnyModel, { id: owner, base, name }: Caller): Row {
  const copy: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    if (model.columns[column] === undefined) continue
    if (column === 'owner_id') copy[column] = value === 7 ? owner : stranger
    else if (keys.includes(column) && value !== null) copy[column] = Number(value) + base
    else if (['title', 'note', 'text', 'place', 'line', 'slug'].includes(column))
      copy[column] = `${value} of ${name}`
    else copy[column] = value
  }
  return copy
}

/** As many additional copies of the first row as there are callers before this one, so that each caller has a different count. */
function more([first]: readonly Row[], model: AnyModel, one: Caller): readonly Row[] {
  if (first === undefined || model.columns.id === undefined || model.name === 'Profile') return []
  return callers.slice(0, callers.indexOf(one)).map((_, i) => ({
    ...first,
    id: 300 + i,
    // The only column besides the key whose values are unique.
    ...(first.slug === undefined ? {} : { slug: `${first.slug} ${i}` }),
  }))
}

const worldRows: ReadonlyMap<AnyModel, readonly Row[]> = new Map(
  published.map((model) => {
    const all = rows[model.name] ?? []
    const rowsOf = (one: Caller) => [...all, ...more(all, model, one)]
    return [
      model,
      callers.flatMap((one) => rowsOf(one).map((row) => copied(row, model, one))),
    ] as const
  }),
)

const roleNames = ['admin', 'editor', 'viewer']

/** Creates the tables, and the users, which no request changes. */
export async function createCallers(db: TestDatabase): Promise<void> {
  const tables = [...published, ...people]
  await createTables(
    db,
    tables.map((model) => ({ ...model, relations: {} })),
  )
  for (const { table, columns } of published) {
    for (const column of keys.filter((name) => name !== 'id' && name in columns)) {
      const name = `${table}_${column}`
      await sql`create index ${sql.id(name)} on ${sql.id(table)} (${sql.id(column)})`.execute(
        db.kysely,
      )
    }
  }
  const known = callers.filter(({ name }) => name !== 'nobody')
  const users = known.map(({ id: key, name }) => ({ id: key, name, secret: `secret of ${name}` }))
  await insertRows(db, User, users)
  await insertRows(
    db,
    Role,
    roleNames.map((name, i) => ({ id: i, name })),
  )
  const grants = known.flatMap(({ id: user_id, roles }) =>
    roles.map((role) => ({ user_id, role_id: roleNames.indexOf(role) })),
  )
  await insertRows(
    db,
    Grant,
    grants.map((grant, i) => ({ id: i, ...grant })),
  )
}

/** Restores the original rows of every table, and deletes all idempotency keys. */
export async function restoreCallers(db: TestDatabase): Promise<void> {
  await db.kysely.transaction().execute(async (kysely) => {
    for (const [model, all] of worldRows) {
      await sql`delete from ${sql.id(model.table)}`.execute(kysely)
      await insertRows({ ...db, kysely }, model, all)
    }
  })
  await sql`delete from idempotency_keys`.execute(db.kysely).catch(() => {})
}
