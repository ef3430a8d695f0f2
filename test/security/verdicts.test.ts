/**
 * Every door of the leak matrix, sent as the operation of a batch and by the client in the process: each read has the same status,
 * value, error and headers as a separate request, for every user and in every world. So what the matrix proves about requests
 * also holds for batches and for `api.as`.
 */
import type { ApiConfig, ApiRequest } from '@model-api/core'
import { inFormOfAs, verdictAs } from '../support/as-client.ts'
import { equal, ok } from '../support/assert.ts'
import { verdictAlone, verdictInBatch } from '../support/batch.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { requestOf } from './answer.ts'
import { doors } from './doors.ts'
import { ofCaller } from './of-caller.ts'
import {
  admin,
  asUser,
  createWorld,
  editor,
  fillWorld,
  full,
  keeper,
  sharedApi,
  type Variant,
  viewer,
} from './world.ts'

runsOn('one server of each engine')

const on = { API_ALLOW_BATCH: true } as const
const users = { viewer, admin, keeper, editor, nobody: undefined }
const names = Object.keys(users) as (keyof typeof users)[]

/** Identifies the caller by a header, once per batch. */
const perBatch: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['custom'],
  API_AUTH_REQUIREMENTS: { '*': false },
  API_CUSTOM_AUTH: ({ headers }) => users[headers?.['x-caller'] as keyof typeof users] ?? false,
  API_CUSTOM_AUTH_PER_BATCH: true,
}

const worlds: readonly Variant[] = [
  full,
  { ...full, vault: 'ruled', shelf: 'ruled' },
  { ...full, vault: 'absent', audit: 'published' },
]

/**
 * The reads of records in the matrix: `HEAD /api/books`, `follow /api/books`, `/api/books`. Excludes problem details, because a
 * batch has its own form of errors.
 */
const reads = [...new Set(Object.values(doors).flat())].flatMap((text): ApiRequest[] => {
  const [first = '', rest] = text.split(' ', 2)
  if (first === 'problem') return []
  const url = rest ?? first
  const method = rest === undefined || first === 'follow' ? 'GET' : first
  return /^\/api\/./.test(url) ? [requestOf(method, url)] : []
})

eachDatabase('a read in a batch, and by api.as', (test, db) => {
  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
  })

  for (const [i, world] of worlds.entries()) {
    const some = Object.entries(world === full ? users : { viewer, keeper })
    for (const [caller, [name, user]] of some.entries()) {
      test(`has the same result as alone: ${name}, world ${i + 1}`, async () => {
        const shared = sharedApi(db, world, on)
        const api = asUser(shared, user)
        const statuses = new Set<number>()
        for (const request of ofCaller(reads, caller + i)) {
          const alone = await verdictAlone(api, request)
          const about = `${request.method} ${request.url}`
          equal(await verdictInBatch(api, request), alone, about)
          equal(await verdictAs(shared, user, request), inFormOfAs(alone), `${about}, by api.as`)
          statuses.add(alone.status)
        }
        ok(statuses.has(200) && statuses.has(400) && statuses.has(404), [...statuses].join())
      })
    }
  }

  test('has the same result where a custom strategy authenticates the batch, whoever sent the previous batch, or the host gives the user', async () => {
    const authenticated = sharedApi(db, full, { ...on, ...perBatch })
    const alone = sharedApi(db, full)
    const sent = names.map((name, caller) => [name, new Set(ofCaller(reads, caller))] as const)
    for (const request of reads) {
      for (const [name, own] of sent) {
        if (!own.has(request)) continue
        const headers = { ...request.headers, 'x-caller': name }
        const expected = await verdictAlone(asUser(alone, users[name]), request)
        const verdict = await verdictInBatch(authenticated, { ...request, headers })
        equal(verdict, expected, `${request.method} ${request.url} of ${name}`)
        const given = asUser(authenticated, users[name] ?? null)
        equal(await verdictAlone(given, request), expected, `${request.url} given ${name}`)
      }
    }
  })
})
