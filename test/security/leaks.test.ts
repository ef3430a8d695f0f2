/**
 * The leak matrix: every door × every secret. Each answer equals, byte for byte, the answer of a world in which the
 * secret does not exist; and somebody who may know the secret gets another answer through the same door, so that no
 * cell is empty.
 */
import type { Api } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { answerOf } from './answer.ts'
import { doors } from './doors.ts'
import {
  admin,
  apiOf,
  asUser,
  createWorld,
  fillWorld,
  full,
  sharedApi,
  type Variant,
  viewer,
} from './world.ts'

type Row = Readonly<Record<string, unknown>>

interface Secret {
  /** What the world without the secret declares, and which rows it has. */
  readonly without: {
    readonly variant: Variant
    readonly change?: (row: Row, model: string) => Row | null
  }
  /** How somebody sees the secret: another user, another declaration, or a parameter. */
  readonly seen: { readonly variant?: Variant; readonly user?: unknown; readonly suffix?: string }
  /** Doors that have nothing to do with the secret: who may know it learns nothing there either. */
  readonly beside: readonly string[]
}

/** The document speaks of models, not of rows or users. */
const documented = 'the OpenAPI document'
/** The health routes speak of neither. */
const health = 'the health routes'

/** The secrets, each as the difference between two worlds. */
const secrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    without: {
      variant: full,
      change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
    },
    seen: { variant: { ...full, vault: 'visible' } },
    beside: ['hints of errors', documented, health],
  },
  'a hidden column': {
    without: { variant: { ...full, vault: 'absent' } },
    seen: { variant: { ...full, vault: 'visible' } },
    beside: [health],
  },
  'rows out of scope': {
    without: { variant: full, change: (row) => (row.owner_id === 8 ? null : row) },
    seen: { user: admin },
    beside: [documented, health],
  },
  'other values of rows out of scope': {
    without: {
      variant: full,
      change: (row) =>
        row.owner_id === 8
          ? Object.fromEntries(
              Object.entries(row).map(([key, value]) => [key, another(key, value)]),
            )
          : row,
    },
    seen: { user: admin },
    beside: [documented, health],
  },
  'soft-deleted rows': {
    without: { variant: full, change: (row) => (row.deleted === true ? null : row) },
    seen: { suffix: 'include_deleted=true' },
    // The parameter that shows them is the specification's own exception.
    beside: ['include_deleted', documented, health],
  },
  'an unpublished model': {
    without: {
      variant: { ...full, audit: 'absent' },
      change: (row, model) => (model === 'Audit' ? null : row),
    },
    seen: { variant: { ...full, audit: 'published' } },
    beside: [health],
  },
  'a resource of another role': {
    without: {
      variant: full,
      change: (row, model) => (model === 'Payroll' || model === 'Ledger' ? null : row),
    },
    seen: { user: admin },
    beside: ['filter on text', 'hints of errors', documented, health],
  },
}

/** Another value of the same kind; keys and owners stay. */
function another(key: string, value: unknown): unknown {
  if (key === 'id' || key === 'owner_id' || key === 'deleted') return value
  if (key === 'published') return '1999-12-31'
  if (key === 'price') return '123.45'
  if (typeof value === 'number') return value + 1
  return typeof value === 'string' ? `other ${value}` : value
}

type Answers = ReadonlyMap<string, string>

async function answersOf(api: Api, suffix = ''): Promise<Answers> {
  const answers = new Map<string, string>()
  for (const request of new Set(Object.values(doors).flat())) {
    answers.set(request, await answerOf(api, request, suffix))
  }
  return answers
}

/** The doors of which one request at least is answered otherwise than before. */
async function tellingDoors(api: Api, suffix: string, before: Answers): Promise<Set<string>> {
  const telling = new Set<string>()
  for (const [door, requests] of Object.entries(doors)) {
    for (const request of requests) {
      if ((await answerOf(api, request, suffix)) === before.get(request)) continue
      telling.add(door)
      break
    }
  }
  return telling
}

eachDatabase('the leak matrix', (test, db) => {
  let world: Answers
  const without = new Map<string, Answers>()
  const seenWith = new Map<string, Answers>()
  const telling = new Map<string, ReadonlySet<string>>()

  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
    world = await answersOf(apiOf(db, full, viewer))
    for (const [name, { seen }] of Object.entries(secrets)) {
      const api = apiOf(db, seen.variant ?? full, seen.user ?? viewer)
      seenWith.set(name, await answersOf(api, seen.suffix))
    }
    for (const [name, { without: lacking, seen }] of Object.entries(secrets)) {
      await fillWorld(db, lacking.change)
      without.set(name, await answersOf(apiOf(db, lacking.variant, viewer)))
      // Where the declaration is the secret, who may know it is compared with the world without it.
      const variant = lacking.variant === full ? seen.variant : lacking.variant
      const api = apiOf(db, variant ?? full, seen.user ?? viewer)
      telling.set(name, await tellingDoors(api, seen.suffix ?? '', seenWith.get(name) as Answers))
    }
  })

  for (const [door, requests] of Object.entries(doors)) {
    for (const [secret, { beside }] of Object.entries(secrets)) {
      test(`${door} × ${secret}`, () => {
        for (const request of requests) {
          equal(world.get(request), without.get(secret)?.get(request), request)
        }
        ok(
          telling.get(secret)?.has(door) === true || beside.includes(door),
          'who may know the secret learns nothing here: the cell proves nothing',
        )
      })
    }
  }

  test('a service that reads a replica answers every door alike', async () => {
    await fillWorld(db)
    const shared = sharedApi(db, full, {}, { replicas: [db.kysely] })
    await shared.ready
    equal([...(await answersOf(asUser(shared, viewer)))], [...world])
  })

  test('no answer of the world is a failure of the service', () => {
    const failed = [...world].filter(([, answer]) => answer.startsWith('5'))
    equal(failed, [])
  })
})
