/**
 * The leak matrix, by who asked first. Callers of different users, roles and rights of columns send the same requests to one service, each
 * of them before and after each other, whether the first asks twice, so that its plan is cached, or another does; everybody
 * gets, byte for byte, the answer of a service that serves nobody else and has no shortcuts.
 */
import type { Api } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { answerOf, ask } from './answer.ts'
import { doors } from './doors.ts'
import {
  admin,
  asUser,
  createWorld,
  declared,
  editor,
  fillWorld,
  full,
  restoreTable,
  sharedApi,
  type Variant,
  viewer,
} from './world.ts'
import { type Write, writes } from './write-doors.ts'

runsOn('one server of each kind')

/** Editors may read columns that the others may not. */
const ruled: Variant = { ...full, vault: 'ruled', shelf: 'ruled' }

const callers = { admin, editor, viewer, nobody: undefined } as const
type Name = keyof typeof callers

/** Who asks one service after whom. */
type Asking = readonly Name[]

/** Each asks twice, so that its plan is cached, before each other in one of the first two. In the last the second to ask is another. */
const pairs: readonly Asking[] = [
  ['admin', 'admin', 'editor', 'editor', 'viewer', 'viewer', 'nobody', 'admin'],
  ['nobody', 'nobody', 'viewer', 'viewer', 'editor', 'editor', 'admin'],
  ['viewer', 'editor', 'admin', 'nobody', 'viewer'],
]
/** Each is the first of all in one of them: where nothing may be kept for the first, nothing is kept of the others. */
const rotations: readonly Asking[] = [
  ...pairs,
  ['editor', 'editor', 'nobody', 'nobody', 'admin', 'viewer', 'editor'],
  ['viewer', 'viewer', 'admin', 'admin', 'nobody', 'editor'],
  ['nobody', 'admin', 'editor', 'viewer', 'nobody'],
]

/** Doors to what is kept: no policy has a say in the resource itself. */
const keeping = 'resources without a policy'

/** The pages of the documentation are texts already. */
const wayOf = (request: string) => (isDocument(request) ? 'handled' : 'sent')

const isDocument = (request: string): boolean => /docs|openapi/.test(request)

/** What everybody is answered alike. */
const isForAll = (request: string): boolean => isDocument(request) || request.includes('/health')

eachDatabase('whoever asked first', (test, db) => {
  const alone = {} as Record<Name, Api>
  const shared = new Map<Asking, Api>()

  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
    for (const name of Object.keys(callers) as Name[]) {
      const dialect = plainDialect(db.kysely, { multiRowInserts: true })
      alone[name] = asUser(sharedApi(db, ruled, {}, { dialect }), callers[name])
    }
    for (const order of rotations) shared.set(order, sharedApi(db, ruled))
  })

  const everybody = async <T>(tell: (name: Name) => Promise<T>): Promise<Record<Name, T>> => {
    const told = {} as Record<Name, T>
    for (const name of Object.keys(callers) as Name[]) told[name] = await tell(name)
    return told
  }

  for (const [door, requests] of Object.entries(doors)) {
    test(`decides nothing for those who ask after: ${door}`, async () => {
      let telling = 0
      for (const request of requests) {
        const expected = await everybody((name) => answerOf(alone[name], request))
        if (new Set(Object.values(expected)).size > 1) telling++
        const askings = door === keeping ? rotations : pairs
        await Promise.all(
          askings.map(async (order) => {
            const api = shared.get(order) as Api
            for (const name of order) {
              const answer = await answerOf(asUser(api, callers[name]), request, '', wayOf(request))
              equal(answer, expected[name], `${request} of ${name}, in the order ${order}`)
            }
          }),
        )
      }
      ok(
        telling > 0 || requests.every(isForAll),
        'all callers are answered alike: the door proves nothing',
      )
    })
  }

  for (const [door, list] of Object.entries(writes)) {
    test(`decides nothing for those who write after: ${door}`, async () => {
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
            equal(await tell(asUser(api, callers[name]), 'sent'), expected[name], about)
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
