/**
 * The leak matrix, depending on who sent a request first. Callers with different users, roles and rights of columns send the
 * same requests to one service: before and after each other, and also twice in a row, so that the plan is cached. Each gets,
 * byte for byte, the response of a service without shortcuts that serves nobody else. The callers sign in. The system, which sees
 * everything, asks before and after them by the client in this process.
 */
import { type Api, type ApiConfig, defineModel } from '@model-api/core'
import type { Call } from '@model-api/core/client'
import { send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { answerOf, ask } from './answer.ts'
import { doors } from './doors.ts'
import {
  admin,
  createWorld,
  declared,
  editor,
  fillWorld,
  full,
  modelsOf,
  restoreTable,
  sharedApi,
  type Variant,
  viewer,
} from './world.ts'
import { type Write, writes } from './write-doors.ts'

runsOn('one server of each kind')

/** Editors may read columns that the others may not. */
const ruled: Variant = { ...full, vault: 'ruled', shelf: 'ruled' }

/** The access token of a user who has become inactive since. */
const former = { id: 12, roles: ['editor', 'admin'] }
const callers = { admin, editor, viewer, former, nobody: undefined } as const
type Name = keyof typeof callers
const names = Object.keys(callers) as Name[]

const Person = defineModel('Person', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string' },
    roles: { type: 'json' },
    active: { type: 'boolean' },
  },
  methods: { check: () => true },
})
const people = names
  .flatMap((name) => ({ ...callers[name], name, active: true }))
  .filter((one) => 'id' in one)

const signedIn: ApiConfig = {
  // By a batch of one, a test can send any path as a call of the client.
  API_ALLOW_BATCH: true,
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_AUTH_REQUIREMENTS: { '*': false },
  API_USER_MODEL: Person,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_USER_ACTIVE: { active: true },
  ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
  REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
}

/** The order in which callers send the same request to one service. */
type Asking = readonly Name[]

/**
 * In the first two orders, each caller sends the request twice, so that its plan is cached, and each comes before each other
 * one. In the last, the second request comes from another caller.
 */
const pairs: readonly Asking[] = [
  ['former', 'admin', 'admin', 'editor', 'editor', 'former', 'viewer', 'viewer', 'nobody', 'admin'],
  ['nobody', 'nobody', 'viewer', 'viewer', 'editor', 'editor', 'admin'],
  ['viewer', 'editor', 'former', 'former', 'admin', 'nobody', 'viewer'],
]
/**
 * Each caller is the first one in some order: if nothing may be cached for the first caller, nothing is cached for the later
 * ones either.
 */
const rotations: readonly Asking[] = [
  ...pairs,
  ['editor', 'editor', 'nobody', 'nobody', 'admin', 'viewer', 'editor'],
  ['viewer', 'viewer', 'admin', 'admin', 'nobody', 'editor'],
  ['nobody', 'admin', 'editor', 'viewer', 'nobody'],
]

/** Doors to resources without a policy, whose plans are cached for several callers. */
const keeping = 'resources without a policy'

/** The responses of the documentation are text already. */
const wayOf = (request: string) => (isDocument(request) ? 'handled' : 'sent')

const isDocument = (request: string): boolean => /docs|openapi/.test(request)

/** A read of a resource, as a call of a typed client. */
const callOf = (client: unknown, request: string): Call<unknown> | undefined => {
  const [, path = '', query = ''] = /^(?:follow )?\/api(\/[^? ]+)(?:\?(.*))?$/.exec(request) ?? []
  if (path === '') return undefined
  const { people: collection } = client as { people: { list(): Call<unknown> } }
  return { ...collection.list(), request: { id: '', method: 'GET', path, query } }
}

/** Sends a read twice as the system, so that its plan is cached, and adds the responses to `told`. */
async function twiceAsSystem(api: Api, request: string, told: Set<string>): Promise<void> {
  const client = api.as('system')
  const call = callOf(client, request)
  if (call === undefined) return
  for (const _ of [1, 2]) {
    const result = await client.batch([call])
    told.add(result.ok ? JSON.stringify(result.value) : `${result.status} ${result.error.code}`)
  }
}

/** Whether the response is the same for everybody. */
const isForAll = (request: string): boolean => isDocument(request) || request.includes('/health')

eachDatabase('requests of earlier callers', (test, db) => {
  const alone = {} as Record<Name, Api>
  const shared = new Map<Asking, Api>()

  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
    await createTables(db, [Person])
    await insertRows(db, Person, people)
    const models = [...modelsOf(ruled), Person]
    for (const name of names) {
      const dialect = plainDialect(db.kysely, { multiRowInserts: true })
      const api = sharedApi(db, ruled, signedIn, { models, dialect })
      if (callers[name] !== undefined) {
        const body = { username: name, password: 'any' }
        const { value } = await send(api, 'POST', '/auth/login', { body })
        tokens.set(name, `Bearer ${value.access_token}`)
      }
      alone[name] = asCaller(api, name)
    }
    await db.kysely
      .updateTable('people')
      .set({ active: db.name === 'postgres' ? false : 0 })
      .where('name', '=', 'former')
      .execute()
    for (const order of rotations) shared.set(order, sharedApi(db, ruled, signedIn, { models }))
  })

  const tokens = new Map<Name, string>()

  /** The same API, with the access token of a caller in each request. */
  const asCaller = (api: Api, name: Name): Api => {
    const authorization = tokens.get(name)
    if (authorization === undefined) return api
    const carrying: Pick<Api, 'handle' | 'answer'> = {
      handle: (request) =>
        api.handle({ ...request, headers: { ...request.headers, authorization } }),
      answer: (request) =>
        api.answer({ ...request, headers: { ...request.headers, authorization } }),
    }
    return { ...api, ...carrying }
  }

  const everybody = async <T>(tell: (name: Name) => Promise<T>): Promise<Record<Name, T>> => {
    const told = {} as Record<Name, T>
    for (const name of names) told[name] = await tell(name)
    return told
  }

  for (const [door, requests] of Object.entries(doors)) {
    test(`do not change the responses to later callers: ${door}`, async () => {
      let telling = 0
      for (const request of requests) {
        const expected = await everybody((name) => answerOf(alone[name], request))
        const systems = new Set<string>()
        await twiceAsSystem(alone.nobody, request, systems)
        const { former: refused, ...others } = expected
        // OPTIONS reads the path alone.
        ok(isForAll(request) || /^(?:4|204)/.test(refused), refused)
        if (new Set(Object.values(others)).size > 1) telling++
        const askings = door === keeping ? rotations : pairs
        await Promise.all(
          askings.map(async (order) => {
            const api = shared.get(order) as Api
            await twiceAsSystem(api, request, systems)
            for (const name of order) {
              const answer = await answerOf(asCaller(api, name), request, '', wayOf(request))
              equal(answer, expected[name], `${request} of ${name}, in the order ${order}`)
            }
            await twiceAsSystem(api, request, systems)
          }),
        )
        ok(systems.size <= 1, `the system is answered differently: ${[...systems].join('\n')}`)
      }
      ok(
        telling > 0 || requests.every(isForAll),
        'all callers are answered alike: the door proves nothing',
      )
    })
  }

  for (const [door, list] of Object.entries(writes)) {
    test(`do not change the writes of later callers: ${door}`, async () => {
      for (const write of list) {
        const table = tableOf(write)
        const tell = async (api: Api, way: 'handled' | 'sent'): Promise<string> => {
          const { told } = await ask(api, requestOf(write), way)
          if (table !== undefined && /^2/.test(told)) await restoreTable(db, table)
          return told
        }
        const expected = await everybody((name) => tell(alone[name], 'handled'))
        for (const order of door === keeping ? rotations : pairs) {
          const api = shared.get(order) as Api
          for (const name of order) {
            const about = `${write.method} ${write.url} of ${name}, in the order ${order}`
            equal(await tell(asCaller(api, name), 'sent'), expected[name], about)
          }
        }
      }
    })
  }
})

const requestOf = ({ method, url, body, headers }: Write) => ({
  method,
  url,
  headers: { 'x-request-id': 'r', 'content-type': 'application/json', ...headers },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

/** The model whose table a write changes. */
const tableOf = ({ url }: Write) => {
  const endpoint = /^\/api\/(\w+)/.exec(url)?.[1]
  return declared.find(({ table }) => table === endpoint)
}
