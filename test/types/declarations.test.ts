/** What inference can reach: declarations of a program name only types that the packages export, and options may be undefined. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { compilerOutput } from '../support/typescript.ts'

/** A folder below node_modules, so that it is neither committed nor compiled with the tests, and imports find the packages. */
const folder = fileURLToPath(
  new URL(`../node_modules/.cache/declarations-${process.pid}/`, import.meta.url),
)

/** Exports one of everything, without naming a type. */
const program = `
import {
  belongsTo, createApi, defineBase, defineModel, hasMany, hasOne, hashApiKey, hashPassword, manyToMany,
  modelsFor, passwordCheck, policyFor, genericDialect, apiError, bodyTooLarge, incompleteBody, unreadBody, responseText, stringify,
} from '@model-api/core'
import { createClient, infiniteQueryOptions, mutationOptions, queryOptions, reference, ClientError } from '@model-api/core/client'
import * as introspect from '@model-api/core/introspect'
import * as drivers from '@model-api/core/drivers'
import * as redis from '@model-api/core/redis'
import { apiErrors, modelApi as koaApi, currentUser as koaUser, requireUser as koaGuard } from '@model-api/adapter-koa'
import { modelApi as expressApi, requireRoles, jwtAuthentication } from '@model-api/adapter-express'
import * as node from '@model-api/http-node'
import type { Kysely } from 'kysely'

declare const db: Kysely<Database>
interface Database { readonly books: { readonly id: number; readonly title: string } }
interface Member { readonly id: number; readonly name: string; readonly roles: readonly string[] }

const id = { type: 'integer', primaryKey: true, generated: true } as const
export const base = defineBase({ columns: { created: { type: 'datetime', managed: 'created' } }, meta: {} })
export const Author = defineModel('Author', {
  columns: { id, name: { type: 'string' }, password: { type: 'string', hidden: true } },
  relations: { books: hasMany('Book', 'author_id'), profile: hasOne('Profile', 'author_id') },
  methods: { check_password: passwordCheck('password') },
  meta: {},
})
export const Profile = defineModel('Profile', { columns: { id, author_id: { type: 'integer' } }, relations: { author: belongsTo('Author', 'author_id') }, meta: {} })
export const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string' },
    price: { type: 'decimal' },
    tagged: { type: 'json' },
    kinds: { type: 'list', items: 'string' },
    state: { type: 'enum', enum: ['a', 'b'] },
    author_id: { type: 'integer', nullable: true },
  },
  relations: { author: belongsTo('Author', 'author_id'), tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }) },
  meta: { access_policy: () => ({ scope: { title: { ne: 'x' } }, can_read: () => true }) },
})
export const Tag = defineModel('Tag', { columns: { id, name: { type: 'string' } }, unique: [['name']], meta: {} })
export const relations = { a: belongsTo('Author', 'author_id'), b: hasMany('Book', 'author_id'), c: hasOne('Profile', 'author_id'), d: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }) }
export const check = passwordCheck('password')
export const Hooked = defineModel('Hooked', { columns: { id }, meta: { add_callback: (record) => record, dump_callback: (data) => ({ ...data, x: 1 }) } })
export const policy = policyFor(Book, db, { can_delete: (book) => book.title !== 'x' })
export const own = modelsFor<Member>()
export const { defineModel: define } = modelsFor<Member>()
export const Owned = own.defineModel('Owned', { columns: { id }, meta: {} })
export const models = [Author, Profile, Book, Tag]
export const api = createApi({ db, models: [Author, Profile, Book, Tag], config: { API_USER_MODEL: Author } })
export const answered = api.handle({ method: 'GET', url: '/' })
export const text = api.answer({ method: 'GET', url: '/' })
export const fetched = (request: Request) => api.fetch(request)
export const explaining = api.explainAccess(null, { method: 'GET', url: '/' })
export const registry = api.registry
export const resource = api.registry.resources[0]
export const relation = resource && [...resource.relations.values()][0]
export const column = resource && [...resource.columns.values()][0]
export const settings = resource && resource.settings
export const explained = api.explainAccess
export const authenticated = api.authenticate
export const client = createClient<typeof api>('http://localhost')
export const books = client.books
export const list = client.books.list
export const listed = client.books.list({ where: { author: { name: { ilike: 'a' } } }, include: { author: true, tags: { fields: ['name'] } } })
export const got = client.books.get(1, { fields: ['title'] })
export const created = client.books.create({ title: 'x', price: '1', tagged: {}, kinds: ['x'], state: 'a' })
export const groups = client.books.groups({ groupBy: ['state'], aggregate: { n: { count: 'id' } } })
export const batch = client.batch
export const batched = client.batch([client.books.get(1)])
export const referred = reference(client.books.get(1), 'id')
export const query = queryOptions(client.books.list({}))
export const infinite = infiniteQueryOptions((page) => client.books.list({ ...page }))
export const mutation = mutationOptions((title: string) => client.books.update(1, { title }))
export const failure = (error: unknown) => error instanceof ClientError ? error : undefined
export const dialect = genericDialect
export const errors = [apiError(400, 'x'), bodyTooLarge('x', 1), incompleteBody(), unreadBody(apiError(400, 'x'))]
export const fns = { hashApiKey, hashPassword, responseText, stringify, createApi, defineModel, defineBase, belongsTo, hasMany, hasOne, manyToMany, policyFor, modelsFor, createClient, queryOptions, infiniteQueryOptions, mutationOptions, reference }
export const others = { ...introspect, ...drivers, ...redis }

export const served = { node: node.createServer(api), listener: node.listener(api), koa: koaApi(api), errors: apiErrors(api), express: expressApi(api), guard: koaGuard(api), roles: requireRoles(api, 'a'), jwt: jwtAuthentication(api), koaUser }
export const nodes = { ...node }
export const read = async () => introspect.introspect(db)
export const readModels = async () => (await introspect.introspect(db)).models
export const everything = { author: client.authors, tags: client.tags, profiles: client.profiles }
export const lazily = async () => await client.books.list({ include: { author: true } })
export const sent = async () => await client.books.get(1).send()
export const unwrapped = async () => await client.books.get(1, { include: { tags: true } }).unwrap()
export const rest = { related: client.authors.related(1, 'books'), removed: client.books.remove(1), updated: client.books.update(1, { title: 'x' }), many: client.books.createMany([]) }
`

/** Passes undefined for options, as `{ limit: query.limit }` does. */
const undefinedOptions = `
import { belongsTo, createApi, defineModel } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { createServer, listener, readRequest } from '@model-api/http-node'
import type { Kysely } from 'kysely'

declare const db: Kysely<unknown>
declare const number: number | undefined
declare const text: string | undefined
declare const signal: AbortSignal | undefined
const id = { type: 'integer', primaryKey: true } as const
const Author = defineModel('Author', { columns: { id, name: { type: 'string' } }, meta: {} })
const Book = defineModel('Book', {
  columns: { id, title: { type: 'string' }, author_id: { type: 'integer' } },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})
const api = createApi({ db, models: [Author, Book] })
api.fetch(new Request('http://a/'), { ip: text, baseUrl: text, host: undefined, compress: undefined, fallback: undefined })
api.handle({ method: 'GET', url: '/', headers: undefined, body: undefined, ip: text, baseUrl: text, asset: undefined, signal })
api.answer({ method: 'GET', url: '/', headers: undefined, takesBytes: undefined })
createServer(api, { fallback: undefined, sendTimeout: number, headersTimeout: number })
listener(api, { baseUrl: text, sendTimeout: number })
readRequest({} as never, { baseUrl: text, res: undefined })
const client = createClient<typeof api>('/api', {
  fetch: undefined,
  headers: undefined,
  endpointCase: undefined,
  batchPath: text,
  paths: undefined,
  maxUrlLength: number,
  envelope: undefined,
})
const options = { limit: number, page: number, search: text, where: undefined, orderBy: undefined, count: undefined, signal, headers: undefined }
client.books.list({ ...options, after: text, includeDeleted: undefined })
client.books.groups({ groupBy: ['author_id'], where: undefined, having: undefined, limit: number })
client.books.create({ id: 1, title: 'x', author_id: 1 }, { onConflict: undefined, idempotencyKey: text, linkBy: undefined })
client.books.remove(1, { cascade: undefined, signal })
client.batch([client.books.get(1)], { dryRun: undefined, idempotencyKey: text })
const whole = await client.books.get(1, { fields: undefined, include: undefined }).unwrap()
export const title: string = whole.title
// @ts-expect-error: a condition that is undefined would select every record
client.books.list({ where: { title: text } })
// @ts-expect-error: without its ETag the change would be unconditional
client.books.update(1, {}, { ifMatch: text })
// @ts-expect-error: without a number the change would have no limit
client.books.updateMany({ id: { gt: 1 } }, {}, { maxAffected: number })
`

suite('types that inference reaches', (test) => {
  test.before(() => void mkdirSync(folder, { recursive: true }))
  test.after(() => rmSync(folder, { recursive: true, force: true }))

  test('are exported, so that the compiler can name them in declarations', () => {
    const overrides = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out' }
    const output = compilerOutput({ folder, file: 'program.ts', text: program, overrides })
    equal(output, '')
    const declarations = readFileSync(join(folder, 'out', 'program.d.ts'), 'utf8')
    const imports = [...declarations.matchAll(/import\("([^"]+)"\)\.(\w+)/g)]
    const hidden = imports.filter(
      ([, from = '']) => !/^(?:@model-api\/|kysely$|node:|http)/.test(from),
    )
    equal([...new Set(hidden.map(([, from, name]) => `${from} ${name}`))], [])
  })

  test('have options that may be undefined, except for those that protect records', () => {
    equal(compilerOutput({ folder, file: 'options.ts', text: undefinedOptions }), '')
  })
})
