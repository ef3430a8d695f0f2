/**
 * The leak matrix of writes, second half: lists of links of a published junction, nested records of a resource that is closed to
 * the caller, and roles of users. The response to each write is the same in a world without the secret, the write changes neither
 * a hidden row nor a role, and its status is the same on every database.
 */
import type { ApiConfig } from '@model-api/core'
import { sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { generated, doors as linkDoors } from './link-doors.ts'
import { doors as roleDoors } from './role-doors.ts'
import { secretsOn } from './secrets-on.ts'
import { doors as settingDoors } from './setting-doors.ts'
import { createWorld, full, type Variant } from './world.ts'
import type { Write } from './write-doors.ts'
import { requireAlike, type Secret, secrets, writerIn } from './write-secrets.ts'

const config = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true }
const tables = [
  ...['authors', 'books', 'tags', 'taggings', 'reviews', 'profiles'],
  ...['members', 'clerks', 'agents', 'duties'],
]

/** Callbacks make a list take another path, on which the references of all its records are looked up before the first callback. */
const callbacks: ApiConfig = {
  API_ADD_CALLBACK: (object) => object,
  API_UPDATE_CALLBACK: (object) => object,
  API_BEFORE_COMMIT_CALLBACK: () => {},
}
const ofReferences = [
  ...['a list of references', 'a list of lists of links', 'an upsert of references'],
  'a link by name',
  ...['a list of children with chosen keys', 'a list of children that removes the others'],
]

interface Door {
  readonly groups: readonly (readonly [status: number, writes: readonly Write[]])[]
  readonly config: ApiConfig
  /** How its worlds differ from those of the other doors. */
  readonly as?: Partial<Variant>
}

/** The doors, each with the configuration that it needs. */
const doors: Readonly<Record<string, Door>> = {
  ...Object.fromEntries(
    Object.entries(linkDoors).map(([name, groups]) => [name, { groups, config }]),
  ),
  ...Object.fromEntries(
    ofReferences.map((name) => [
      `${name}, with callbacks`,
      { groups: linkDoors[name] ?? [], config: { ...config, ...callbacks } },
    ]),
  ),
  'a list of children with generated keys': {
    groups: generated,
    config,
    as: { keys: 'generated' },
  },
  ...Object.fromEntries(
    Object.entries(settingDoors).map(([name, { groups, onDelete, config: own }]) => [
      name,
      { groups, onDelete, config: { ...config, ...own } },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(roleDoors).map(([name, { users, groups }]) => [
      name,
      { groups, config: { ...config, API_USER_MODEL: users } },
    ]),
  ),
}

eachDatabase('a write of links', (test, db) => {
  test.before(() => createWorld(db))

  /** The rows and roles that no write of the viewer may change. */
  const outOfSight = async (): Promise<string> => {
    const rows: unknown[] = []
    for (const table of tables) {
      const found =
        await sql`select * from ${sql.id(table)} where owner_id = 8 order by id`.execute(db.kysely)
      rows.push(table, found.rows)
    }
    for (const table of ['payrolls', 'audits']) {
      const found = await sql`select * from ${sql.id(table)} order by id`.execute(db.kysely)
      rows.push(table, found.rows)
    }
    for (const roles of [
      sql`select id, roles from members order by id`,
      sql`select id, duty_id from clerks order by id`,
      sql`select agent_id, duty_id from assignments order by agent_id, duty_id`,
    ]) {
      rows.push((await roles.execute(db.kysely)).rows)
    }
    return JSON.stringify(rows)
  }
  const writerOutOfSight = (
    world: Secret,
    config: ApiConfig,
  ): ((write: Write) => Promise<string>) => {
    let before = ''
    const write = writerIn(db, world, config, async () => {
      before = await outOfSight()
    })
    return async (one) => {
      const answer = await write(one)
      equal(await outOfSight(), before, `${one.method} ${one.url}: rows out of sight, or roles`)
      return answer
    }
  }

  for (const [name, { groups, config, ...door }] of Object.entries(doors)) {
    const as: Partial<Variant> = {
      ...('as' in door ? door.as : {}),
      ...('onDelete' in door ? { onDelete: door.onDelete as Variant['onDelete'] } : {}),
    }
    const acting = (variant: Variant): Variant => ({ ...variant, ...as })
    test(`neither reveals nor changes any secret: ${name}`, async () => {
      const told = new Map<Write, string>()
      const write = writerOutOfSight({ variant: acting(full) }, config)
      for (const [status, writes] of groups) {
        const answers = new Set<string>()
        for (const one of writes) {
          const answer = await write(one)
          ok(answer.startsWith(`${status} `), `${aboutOf(one)}\n${answer}`)
          answers.add(answer)
          told.set(one, answer)
        }
        if (status === 403) equal(answers.size, 1, 'one answer, whatever is there')
      }
      for (const [secret, lacking] of Object.entries(secretsOn(db, secrets))) {
        const { world } = lacking
        const writeWithout = writerOutOfSight(
          { ...lacking, variant: acting(lacking.variant) },
          config,
        )
        const writeInWorld = world && writerOutOfSight({ variant: acting(world) }, config)
        const expected = new Map(told)
        if (writeInWorld !== undefined) {
          for (const one of told.keys()) expected.set(one, await writeInWorld(one))
        }
        for (const [one, answer] of expected) {
          requireAlike(secret, one, answer, await writeWithout(one))
        }
      }
    })
  }
})

const aboutOf = ({ method, url, body }: Write): string => `${method} ${url} ${JSON.stringify(body)}`
