/**
 * The leak matrix: every door × every secret. Each response equals, byte for byte, that of a world in which the secret does not
 * exist. A caller who may know the secret gets another response through the same door, so every cell can fail.
 */
import type { Api } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { answerOf } from './answer.ts'
import { doors } from './doors.ts'
import { secretsOn } from './secrets-on.ts'
import {
  admin,
  another,
  apiOf,
  asUser,
  createWorld,
  fillWorld,
  full,
  keeper,
  modelsOf,
  people,
  sharedApi,
  type Variant,
  viewer,
} from './world.ts'

type Row = Readonly<Record<string, unknown>>

interface Secret {
  /** The world whose answers are expected, if that is not the full one. */
  readonly world?: Variant
  /** What the world without the secret declares, and which rows it has. */
  readonly without: {
    readonly variant: Variant
    readonly change?: (row: Row, model: string) => Row | null
  }
  /** Who or what reveals the secret: another user, another declaration, or a parameter. */
  readonly seen: {
    readonly variant?: Variant
    readonly user?: unknown
    readonly suffix?: string
    /** Set if the secret is a right of this user: in the same world, another user gets another response. */
    readonly own?: boolean
  }
  /** Doors unrelated to the secret: a caller who may know it gets the same response there. */
  readonly beside: readonly string[]
  /** Doors that reveal it to everybody, by design. */
  readonly open?: readonly string[]
}

/** The document depends on models, not on rows or users. */
const documented = 'the OpenAPI document'
/** The health routes depend on none of them. */
const health = 'the health routes'
/** The index of reviews contains only their own rows and columns. */
const searched = 'a full-text index'

const ruled: Variant = { ...full, vault: 'ruled' }

/** The secrets, each as the difference between two worlds. */
const allSecrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    without: {
      variant: full,
      change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
    },
    seen: { variant: { ...full, vault: 'visible' } },
    beside: ['problem details', 'hints of errors', documented, health],
  },
  'a hidden column': {
    without: { variant: { ...full, vault: 'absent' } },
    seen: { variant: { ...full, vault: 'visible' } },
    beside: [health],
  },
  'a write-only column': {
    world: { ...full, vault: 'absent' },
    without: { variant: { ...full, vault: 'writeOnly' } },
    seen: { variant: { ...full, vault: 'visible' } },
    beside: [health],
    open: [documented],
  },
  'the values of a column of another role': {
    without: {
      variant: ruled,
      change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
    },
    seen: { variant: ruled, user: keeper },
    beside: ['problem details', 'hints of errors', health],
    open: [documented],
  },
  'a column of another role': {
    world: { ...full, vault: 'absent' },
    without: { variant: ruled },
    seen: { variant: ruled, user: keeper, own: true },
    beside: [health],
    open: [documented],
  },
  'a relation by a column of another role': {
    world: { ...full, shelf: 'absent' },
    without: { variant: { ...full, shelf: 'ruled' } },
    seen: { variant: { ...full, shelf: 'ruled' }, user: keeper, own: true },
    beside: [searched, health],
    open: [documented],
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
    // The specification makes an exception for the parameter that shows them.
    beside: ['include_deleted', documented, health],
  },
  'an unpublished model': {
    without: {
      variant: { ...full, audit: 'absent' },
      change: (row, model) => (model === 'Audit' ? null : row),
    },
    seen: { variant: { ...full, audit: 'published' } },
    beside: [searched, health],
  },
  'a resource of another role': {
    without: {
      variant: full,
      change: (row, model) => (model === 'Payroll' || model === 'Ledger' ? null : row),
    },
    seen: { user: admin },
    beside: [searched, 'filter on text', 'hints of errors', documented, health],
  },
}

type Answers = ReadonlyMap<string, string>

async function answersOf(api: Api, suffix = ''): Promise<Answers> {
  const answers = new Map<string, string>()
  for (const request of new Set(Object.values(doors).flat())) {
    answers.set(request, await answerOf(api, request, suffix))
  }
  return answers
}

/**
 * Returns the doors that reveal the secret: at least one response is not the same as before. Skips the doors where nobody can
 * learn the secret.
 */
async function tellingDoors(
  api: Api,
  { seen, beside, open = [] }: Secret,
  before: Answers,
): Promise<Set<string>> {
  const telling = new Set<string>()
  for (const [door, requests] of Object.entries(doors)) {
    if (beside.includes(door) || open.includes(door)) continue
    for (const request of requests) {
      if ((await answerOf(api, request, seen.suffix)) === before.get(request)) continue
      telling.add(door)
      break
    }
  }
  return telling
}

/** The tables that are moved to another schema: those without many-to-many relations, so that belongsTo and hasMany cross schemas. */
const elsewhere = modelsOf(full)
  .filter(({ table, relations }) => {
    const isJunction = /^(?:taggings|labellings)$/.test(table)
    return !isJunction && Object.values(relations).every(({ kind }) => kind !== 'manyToMany')
  })
  .map(({ table }) => table)

/** Copies tables to a new schema, deletes the rows of the originals, and returns the schema's name. */
async function moveTables(db: TestDatabase, tables: readonly string[]): Promise<string> {
  // Ends in digits, as every database of a run does, so that the runner finds and drops it if this process is killed.
  const schema = db.name === 'mysql' ? `${new URL(db.url ?? '').pathname.slice(1)}000` : 'elsewhere'
  const kind = db.name === 'mysql' ? 'database' : 'schema'
  const made = db.name === 'sqlite' ? `attach ':memory:' as ${schema}` : `create ${kind} ${schema}`
  const moved = tables.map(
    (table) => `create table ${schema}.${table} as select * from ${table}; delete from ${table};`,
  )
  await db.execScript(`${made}; ${moved.join('\n')}`)
  return schema
}

eachDatabase('the leak matrix', (test, db) => {
  const secrets = secretsOn(db, allSecrets)
  let world: Answers
  const worlds = new Map<Variant | undefined, Answers>()
  const without = new Map<string, Answers>()
  /** The responses to a caller who may know the secret, by secret; several secrets have the same one. */
  const seenWith = new Map<string, Answers>()
  const seenBy = new Map<string, Answers>()
  const telling = new Map<string, ReadonlySet<string>>()

  test.before(async () => {
    await createWorld(db)
    await fillWorld(db)
    world = await answersOf(apiOf(db, full, viewer))
    worlds.set(undefined, world)
    for (const [name, { world: other, seen }] of Object.entries(secrets)) {
      if (other !== undefined) worlds.set(other, await answersOf(apiOf(db, other, viewer)))
      const { variant = full, user = viewer, suffix = '' } = seen
      const who = JSON.stringify([variant, user, suffix])
      const answers = seenBy.get(who) ?? (await answersOf(apiOf(db, variant, user), suffix))
      seenBy.set(who, answers)
      seenWith.set(name, answers)
    }
    for (const [name, secret] of Object.entries(secrets)) {
      const { without: lacking, seen } = secret
      await fillWorld(db, lacking.change)
      without.set(name, await answersOf(apiOf(db, lacking.variant, viewer)))
      // If the secret is a declaration, compares the caller who may know it with the world without the declaration.
      const variant = lacking.variant === full ? seen.variant : lacking.variant
      const api = apiOf(db, variant ?? full, seen.own ? viewer : (seen.user ?? viewer))
      telling.set(name, await tellingDoors(api, secret, seenWith.get(name) as Answers))
    }
  })

  for (const [door, requests] of Object.entries(doors)) {
    for (const [secret, { world: other, beside, open = [] }] of Object.entries(secrets)) {
      if (open.includes(door)) continue
      test(`${door} × ${secret}`, () => {
        for (const request of requests) {
          equal(worlds.get(other)?.get(request), without.get(secret)?.get(request), request)
        }
        ok(
          telling.get(secret)?.has(door) === true || beside.includes(door),
          'who may know the secret learns nothing here: the cell proves nothing',
        )
      })
    }
  }

  test('a service that reads from a replica gives the same responses', async () => {
    await fillWorld(db)
    const shared = sharedApi(db, full, {}, { replicas: [db.kysely] })
    await shared.ready
    equal([...(await answersOf(asUser(shared, viewer)))], [...world])
  })

  test('relations across schemas give the same responses', async () => {
    await fillWorld(db)
    ok(elsewhere.length > 3)
    const schema = await moveTables(db, elsewhere)
    const moved = modelsOf(full).map((model) =>
      elsewhere.includes(model.table) ? { ...model, schema } : model,
    )
    const models = [...moved, ...people]
    const apart = sharedApi(db, full, {}, { models })
    await apart.ready
    equal([...(await answersOf(asUser(apart, viewer)))], [...world])
    if (db.name === 'mysql') await db.execScript(`drop database ${schema}`)
  })

  test('no response is a 5xx', () => {
    const failed = [...world].filter(([, answer]) => answer.startsWith('5'))
    equal(failed, [])
  })
})
