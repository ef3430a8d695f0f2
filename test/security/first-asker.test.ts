/**
 * The leak matrix, by who asked first. Callers of different users and roles send the same requests to one service, each
 * of them before and after each other, whether the service keeps what is asked for once or only what comes again; everybody
 * gets, byte for byte, the answer of a service that serves nobody else and keeps nothing.
 */
import type { Api } from '@model-api/core'
import { noFastPaths } from '@model-api/core/internals'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
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
  viewer,
} from './world.ts'
import { type Write, writes } from './write-doors.ts'

const callers = { admin, editor, viewer, nobody: undefined } as const
type Name = keyof typeof callers

/** Who asks one service after whom, and whether it keeps what is asked for once, or only what is asked for again. */
interface Asking {
  readonly order: readonly Name[]
  readonly preparedReads: 'at once' | true
}

const atOnce = (...order: Name[]): Asking => ({ order, preparedReads: 'at once' })
const later = (...order: Name[]): Asking => ({ order, preparedReads: true })

/** Each asks before each other in one of those that keep at once. In the others the second to ask is the first again, or another. */
const pairs: readonly Asking[] = [
  atOnce('admin', 'editor', 'viewer', 'nobody'),
  atOnce('nobody', 'viewer', 'editor', 'admin'),
  later('admin', 'admin', 'viewer', 'editor', 'nobody', 'admin'),
  later('viewer', 'editor', 'admin', 'nobody', 'viewer'),
]
/** Each is the first of all in one of them: where nothing may be kept for the first, nothing is kept of the others. */
const rotations: readonly Asking[] = [
  ...pairs,
  atOnce('editor', 'nobody', 'admin', 'viewer'),
  atOnce('viewer', 'admin', 'nobody', 'editor'),
  later('nobody', 'nobody', 'nobody', 'admin', 'editor', 'viewer'),
  later('editor', 'editor', 'nobody', 'viewer', 'admin', 'editor'),
]

const asked = ({ order, preparedReads }: Asking): string =>
  `in the order ${order}, kept ${preparedReads === true ? 'when asked for again' : 'at once'}`

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
      alone[name] = asUser(sharedApi(db, full, noFastPaths), callers[name])
    }
    for (const asking of rotations) {
      const { preparedReads } = asking
      shared.set(asking, sharedApi(db, full, { preparedReads }))
    }
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
          askings.map(async (asking) => {
            const api = shared.get(asking) as Api
            for (const name of asking.order) {
              const answer = await answerOf(asUser(api, callers[name]), request, '', wayOf(request))
              equal(answer, expected[name], `${request} of ${name}, ${asked(asking)}`)
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
        for (const asking of door === keeping ? rotations : pairs) {
          const api = shared.get(asking) as Api
          for (const name of asking.order) {
            const about = `${write.method} ${write.url} of ${name}, ${asked(asking)}`
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
