/** The API of the growth tests: every column type, relation, validator and strategy, with limits high enough to show growth. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  type Column,
  type ColumnType,
  count,
  createApi,
  defineModel,
  hasMany,
  hasOne,
  manyToMany,
  max,
} from '@model-api/core'
import { Kysely, SqliteDialect } from 'kysely'
import type { StrategyName } from '../../packages/core/src/model/settings/access/access-types.ts'
import { validatorNames } from '../../packages/core/src/model/validator-names.ts'
import type { TestDatabase } from '../support/databases.ts'
import { createTables, insertRows } from '../support/tables.ts'

/** A column of each type; the compiler requires an entry for a new one. */
export const columnOf: Readonly<Record<ColumnType, Column>> = {
  integer: { type: 'integer' },
  bigint: { type: 'bigint' },
  float: { type: 'float' },
  decimal: { type: 'decimal', precision: 12, scale: 2 },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  text: { type: 'text', maxLength: 1_000_000 },
  date: { type: 'date' },
  datetime: { type: 'datetime' },
  time: { type: 'time' },
  uuid: { type: 'uuid' },
  json: { type: 'json' },
  binary: { type: 'binary' },
  enum: { type: 'enum', enum: ['draft', 'published'] },
  list: { type: 'list', items: 'string' },
  opaque: { type: 'opaque', readOnly: true },
}

/** The types that every database has. */
export const columnTypes = (Object.keys(columnOf) as readonly ColumnType[]).filter(
  (type) => type !== 'list',
)

/** The name of the field with a type. */
export const fieldOf = (type: ColumnType): string => `a_${type}`

/** A value of each type in the form of the database. */
const exampleOf: Readonly<Record<ColumnType, unknown>> = {
  integer: 7,
  bigint: '7',
  float: 1.5,
  decimal: '1.50',
  boolean: true,
  string: 'text',
  text: 'text',
  date: '2024-05-14',
  datetime: '2024-05-14T10:30:00.000Z',
  time: '10:30:00',
  uuid: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
  json: { a: 1 },
  binary: 'AAAA',
  enum: 'draft',
  list: ['text'],
  opaque: 'text',
}

/** Only requests that name a declared aggregate read it. */
const unsent = { sent: false }

const id = { type: 'integer', primaryKey: true, generated: true } as const

const fields = {
  ...Object.fromEntries(
    columnTypes.map((type) => [fieldOf(type), { ...columnOf[type], nullable: true }]),
  ),
  ...Object.fromEntries(
    validatorNames.map((validator) => [
      `is_${validator}`,
      { type: 'text', nullable: true, validator } as const,
    ]),
  ),
  short: { type: 'string', maxLength: 40, nullable: true },
} as Readonly<Record<string, Column>>

/** A model with a column of every type and a relation of every kind. */
const ofAllTypes = (name: string): AnyModel =>
  defineModel(name, {
    columns: {
      id,
      ...fields,
      kept: {
        type: 'string',
        nullable: true,
        writeOnly: true,
        transform: async (value) => `${value}!`,
      },
      parent_id: { type: 'integer', nullable: true },
      revised: { type: 'datetime', managed: 'updated', nullable: true },
    },
    relations: {
      parent: belongsTo(name, 'parent_id'),
      children: hasMany(name, 'parent_id'),
      marks: manyToMany('Mark', {
        through: `${name.toLowerCase()}_marks`,
        from: 'owner_id',
        to: 'mark_id',
      }),
      ...(name === 'Thing' ? { note: hasOne('Note', 'thing_id') } : {}),
    },
    aggregates: {
      child_count: count('children', { short: { isnull: true } }, unsent),
      child_text: max('children.a_string', {}, unsent),
    },
    // If the strategy custom decides by the request, operations of a batch cannot contain references.
    meta: name === 'Sink' ? { authenticate_method: ['jwt', 'basic', 'api_key'] } : {},
  })

const Thing = ofAllTypes('Thing')

/** Records are written to this model, so that the models that are read stay small. */
const Sink = ofAllTypes('Sink')

const Mark = defineModel('Mark', {
  columns: { id, name: { type: 'string', nullable: true } },
  search: ['name'],
  meta: {},
})

/** Has a full-text index of the database. */
const Scroll = defineModel('Scroll', {
  columns: { id, body: { type: 'text' } },
  search: { columns: ['body'], index: 'scroll_search' },
  meta: {},
})

/** Has soft delete, and therefore the restore route. */
const Note = defineModel('Note', {
  columns: { id, thing_id: { type: 'integer', unique: true }, gone: { type: 'boolean' } },
  relations: { thing: belongsTo('Thing', 'thing_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})

const Line = defineModel('Line', {
  columns: {
    order_no: { type: 'string', primaryKey: true },
    line: { type: 'integer', primaryKey: true },
  },
  meta: {},
})

/** The number of stored slots, each with a visit, and the most records of a page of them. */
const storedSlots = 2000
const ofPage = { pagination_size_max: storedSlots } as const

/** Has a composite key, which clients choose. */
const Slot = defineModel('Slot', {
  columns: {
    day: { type: 'date', primaryKey: true },
    place: { type: 'integer', primaryKey: true },
    note: { type: 'string', nullable: true },
  },
  relations: {
    visits: hasMany('Visit', ['day', 'place']),
    marks: manyToMany('Mark', { through: 'slot_marks', from: ['day', 'place'], to: 'mark_id' }),
  },
  meta: ofPage,
})
const Visit = defineModel('Visit', {
  columns: {
    id,
    day: { type: 'date' },
    place: { type: 'integer' },
    name: { type: 'string', nullable: true },
  },
  relations: { slot: belongsTo('Slot', ['day', 'place']) },
  meta: ofPage,
})

/** The day of the stored slots, and that of the slots that requests create. */
export const storedDay = '2024-05-14'
export const newDay = '2024-05-15'

const noDatabase = new Kysely<unknown>({
  dialect: new SqliteDialect({ database: () => Promise.reject(new Error('never opened')) }),
})

/** The types that `createApi` accepts for a key. */
export const keyTypes: readonly ColumnType[] = columnTypes.filter((type) => {
  try {
    createApi({ db: noDatabase, models: [keyedBy(type)] })
    return true
  } catch {
    return false
  }
})

function keyedBy(type: ColumnType): AnyModel {
  return defineModel(`By_${type}`, {
    columns: { id: { ...columnOf[type], primaryKey: true } },
    meta: { endpoint: `by-${type}`, register_canonical_routes: false },
  })
}

const keyed = keyTypes.map(keyedBy)

/** No login succeeds; the test measures what happens before. */
const User = defineModel('User', {
  columns: {
    id,
    name: { type: 'string', unique: true },
    key_hash: { type: 'string', nullable: true },
  },
  methods: { check: () => false },
  meta: {},
})

/** The user of the requests about API keys. */
export const userWithKeys = { id: 1, name: 'ann', key_hash: null }

const strategies: Readonly<Record<StrategyName, true>> = {
  jwt: true,
  basic: true,
  api_key: true,
  custom: true,
}

const models = [Thing, Sink, Mark, Scroll, Note, Line, Slot, Visit, User, ...keyed]

const most = 1_000_000_000

const config: ApiConfig = {
  API_LIST_ETAGS: true,
  API_HEALTH_ROUTE: '/health',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ADDITIONAL_QUERY_PARAMS: ['trace'],
  API_MAX_URL_LENGTH: most,
  API_BODY_LIMIT: most,
  API_MAX_LIST: 10_000,
  API_MAX_CONDITIONS: 1000,
  API_MAX_RELATION_FILTERS: 50,
  API_MAX_AGGREGATES: 20,
  API_MAX_JOINS: 20,
  API_MAX_DEPTH: 12,
  API_MAX_BULK: 10_000,
  API_RATE_LIMIT: `${most} per second`,
  API_LOGIN_RATE_LIMIT: `${most} per second`,
  API_TRUSTED_PROXIES: 1000,
  API_AUTHENTICATE_METHOD: Object.keys(strategies) as StrategyName[],
  API_AUTH_REQUIREMENTS: { '*': false },
  API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie', () => undefined],
  API_AUTH_REFRESH_COOKIE: true,
  API_TRUSTED_ORIGINS: ['https://app.example.org'],
  API_CUSTOM_AUTH: () => false,
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_CREDENTIAL_HASH_FIELD: 'key_hash',
  API_KEYS: true,
  ACCESS_SECRET_KEY: 'an access key of more than thirty-two bytes',
  REFRESH_SECRET_KEY: 'a refresh key of more than thirty-two bytes',
}

/** Creates the tables with a few rows of all types. */
export async function createWorld(db: TestDatabase): Promise<Api> {
  await createTables(db, models)
  await insertRows(db, Thing, rows)
  await insertRows(db, User, [userWithKeys])
  await db.execScript('create virtual table scroll_search using fts5(body)')
  await db.execScript(`insert into scroll_search(rowid, body) values (1, 'old words')`)
  await insertRows(db, Scroll, [{ id: 1, body: 'old words' }])
  await insertRows(db, Note, [{ id: 1, thing_id: 1, gone: false }])
  const slots = Array.from({ length: storedSlots }, (_, place) => ({ day: storedDay, place }))
  await insertRows(
    db,
    Slot,
    slots.map((key) => ({ ...key, note: null })),
  )
  await insertRows(
    db,
    Visit,
    slots.map((key) => ({ ...key, id: 1 + key.place, name: 'v' })),
  )
  await restore(db)
  return createApi({ db: db.kysely, models, config, onWarning: () => {}, onError: () => {} })
}

const rows = [1, 2, 3].map((key) => ({
  id: key,
  ...Object.fromEntries(columnTypes.map((type) => [fieldOf(type), exampleOf[type]])),
  parent_id: null,
}))

/** Restores the rows of the tables that requests write to. */
export async function restore(db: TestDatabase): Promise<void> {
  await db.execScript(
    'delete from sink_marks; delete from slot_marks; delete from sinks; delete from marks;',
  )
  await db.execScript(
    `delete from visits where day = '${newDay}'; delete from slots where day = '${newDay}'`,
  )
  await insertRows(db, Sink, rows)
  await insertRows(db, Mark, [{ id: 1, name: 'first' }])
}
