/**
 * Columns that a caller may not read, tried by every request that reads or writes them: each response is the same, byte for
 * byte, with other values in the columns and without the columns, and so is what the caller reads after a write. Other values take
 * as many statements. And no write of that caller changes their values, except for a column that is write-only: bodies may name it.
 */
import { type Api, createApi } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, notEqual, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { plainOnly } from '../support/path.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase, runsAtOnce, runsOn } from '../support/suite.ts'
import { createTables, replacingScript } from '../support/tables.ts'
import {
  type Asked,
  config,
  deletions,
  doors,
  guesses,
  modelsOf,
  type Row,
  rowsOf,
  writeOnly,
} from './column-doors.ts'

/** A response, with what the caller reads after a write, and the number of statements that it took. */
interface Told {
  readonly answer: string
  readonly count: number
}

runsOn('one server of each engine')
runsAtOnce(3)

const clerk = { id: 1, roles: ['clerk'] }
const payroll = { id: 1, roles: ['payroll'] }

eachDatabase('a column that the caller may not read', (test, db) => {
  const apiOf = (secret: boolean, user: unknown): Api =>
    createApi({
      db: db.kysely,
      models: modelsOf(secret, user === payroll),
      config,
      clock: frozenClock(),
      onWarning: () => {},
      ...(plainOnly ? { dialect: plainDialect(db.kysely) } : {}),
    })
  test.before(async () => {
    await createTables(
      db,
      modelsOf(true).map((model) => ({ ...model, relations: {} })),
    )
    // The first API of a pool sends statements that others do not: it finds out whether the pool keeps the settings of its connections.
    await apiOf(true, clerk).ready
  })
  const fill = async (values: number) => {
    const script = modelsOf(true)
      .map((model) => replacingScript(db, model, rowsOf(values)[model.name] ?? []))
      .join('; ')
    await db.execOften(script + counters(db))
  }
  const secretColumns = Object.keys(guesses).filter((name) => name !== 'yearly')
  const secretsOf = (row: Row) => JSON.stringify(secretColumns.map((name) => row[name] ?? null))
  /** The values of a record that the clerk creates: only defaults. */
  const ofNew = (secret: boolean) => secretsOf(secret ? { org_id: 1 } : {})
  const secrets = async (): Promise<ReadonlyMap<unknown, string>> => {
    const rows = await db.kysely.selectFrom('people').selectAll().execute()
    return new Map(rows.map((row) => [row.id, secretsOf(row)]))
  }

  const tell = async (api: Api, user: unknown, { method, url, headers = {}, body }: Asked) => {
    const answer = await api.answer({
      method,
      url,
      user,
      headers: { 'x-request-id': 'r', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text ?? ''}`
  }

  /** What the caller reads after a write. */
  const readsOf = async (api: Api, user: unknown): Promise<string> => {
    const told: string[] = []
    for (const url of ['people?include_deleted=true', 'teams?dump=json', 'masteries'])
      told.push(await tell(api, user, { method: 'GET', url: `/api/${url}` }))
    return told.join('\n')
  }

  /**
   * Returns what requests tell, each from a database that is filled again. Requires that the secret values of the
   * records have not changed.
   */
  const answersIn = async (
    secret: boolean,
    values: 1 | 2,
    list: readonly Asked[],
    user: unknown = clerk,
  ) => {
    const api = apiOf(secret, user)
    const answers: Told[] = []
    await fill(values)
    const before = await secrets()
    for (const asked of list) {
      const { result: answer, statements } = await db.capture(() => tell(api, user, asked))
      const about = `${asked.method} ${asked.url} ${JSON.stringify(asked.body)}`
      ok(!answer.startsWith('5'), `${about}\n${answer}`)
      const count = statements.length
      if (asked.method === 'GET' || asked.method === 'HEAD' || answer.startsWith('4')) {
        answers.push({ answer, count })
        continue
      }
      answers.push({ answer: `${answer}\n${await readsOf(api, user)}`, count })
      const after = user === clerk ? await secrets() : new Map()
      const mayChange = names(asked.body, writeOnly)
      for (const [key, row] of mayChange ? [] : after) {
        equal(row, before.get(key) ?? ofNew(secret), about)
      }
      await fill(values)
    }
    return answers
  }

  for (const [door, list] of Object.entries(doors)) {
    test(`does not affect any response: ${door}`, async () => {
      const stored = await answersIn(true, 1, list)
      const others = await answersIn(true, 2, list)
      const without = await answersIn(false, 1, list)
      for (const [i, asked] of list.entries()) {
        const about = `${asked.method} ${asked.url} ${JSON.stringify(asked.body)}`
        equal(others[i], stored[i], `other values: ${about}`)
        if (names(asked.body, writeOnly)) continue
        equal(without[i]?.answer, stored[i]?.answer, `without the column: ${about}`)
      }
      let isTold = false
      for (const [i, asked] of list.entries()) {
        const [told] = await answersIn(true, 1, [asked], payroll)
        isTold = told?.answer !== stored[i]?.answer
        if (isTold) break
      }
      ok(isTold, 'who may read it is answered alike')
    })
  }

  test('is revealed by deletions of records that others refer to, which no right can hide', async () => {
    const stored = await answersIn(true, 1, deletions)
    const others = await answersIn(true, 2, deletions)
    for (const [i, { url }] of deletions.entries())
      notEqual(stored[i]?.answer, others[i]?.answer, url)
  })
})

/** Whether a body has a member of this name, at any depth. */
const names = (body: unknown, field: string): boolean =>
  JSON.stringify(body ?? null).includes(`"${field}":`)

const counters = (db: TestDatabase): string =>
  db.name === 'sqlite'
    ? '; delete from sqlite_sequence'
    : ['teams', 'people', 'skills', 'mastery']
        .map((table) =>
          db.name === 'postgres'
            ? `; alter table ${table} alter id restart with 100`
            : `; alter table ${table} auto_increment = 100`,
        )
        .join('')
