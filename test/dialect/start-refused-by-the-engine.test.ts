/**
 * MySQL refused a look-up of the start, because its text contained a reserved word: every request is then 503, and the log must
 * say why.
 */
import { detectDialect } from '@model-api/core/internals'
import { type Kysely, sql } from 'kysely'
import { createPeople, jwtKeys, peopleApi } from '../auth/people.ts'
import { get, send } from '../support/api.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: any database
type AnyKysely = Kysely<any>

const json = { 'content-type': 'application/json' }

const config = { ...jwtKeys, API_AUTH_REQUIREMENTS: { '*': false }, API_HEALTH_ROUTE: '/health' }

/** Requests that use the database in different stages. */
const requests = [
  ['GET', '/api/books'],
  ['GET', '/api/books/1'],
  ['POST', '/api/books', '{"title":"Emma"}'],
  ['DELETE', '/api/books/1'],
  ['POST', '/auth/login', '{"username":"ann","password":"correct horse"}'],
] as const

eachDatabase('a start that the engine refuses', (test, db) => {
  test.before(() => createPeople(db))

  const own = detectDialect(db.kysely)
  const refused = (on: AnyKysely) => sql`select 1 as one from nowhere_at_all`.execute(on)
  const dialects = {
    'when it connects': { ...own, connect: (on: AnyKysely) => refused(on).then(() => own) },
    'when it reads the tables of the schema': {
      ...own,
      connect: async () => ({
        ...own,
        shortcuts: {
          lookUpSingleWrites: (on: AnyKysely) => refused(on).then(() => () => undefined),
        },
      }),
    },
  }

  for (const [when, dialect] of Object.entries(dialects)) {
    test(`${when}: ready and the log say why, and every request is "not ready"`, async () => {
      const errors: unknown[] = []
      const { api } = peopleApi(db, config, {
        dialect,
        onError: (error) => void errors.push(error),
      })
      match((await rejects(api.ready)).message, 'nowhere_at_all')
      // No request has been sent yet.
      equal(errors.length, 1)
      match(String(errors[0]), 'nowhere_at_all')
      for (const [method, url, body] of requests) {
        errors.length = 0
        const answer = await send(api, method, url, { headers: json, ...(body ? { body } : {}) })
        equal([answer.status, answer.errors.code], [503, 'not_ready'], `${method} ${url}`)
        ok(errors.some((error) => String(error).includes('nowhere_at_all')))
      }
      const health = await get(api, '/health/ready')
      equal([health.status, health.errors.reason], [503, 'Not ready: start failed.'])
    })
  }
})
