/** A refused body listed one problem per text, each with its whole path: the response to 34 KB had 21 MB, and 376 KB ended the process. */
import { defineModel, type FieldProblem, hashPassword, passwordCheck } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
    password_hash: { type: 'string' },
    notes: { type: 'json', nullable: true },
  },
  methods: { check: passwordCheck('password_hash') },
  meta: { allow_bulk: true },
})

const config = {
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_AUTH_REQUIREMENTS: { '*': false },
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_LOGIN_RATE_LIMIT: '1000 per minute',
  ACCESS_SECRET_KEY: 'an access key of more than thirty-two bytes',
  REFRESH_SECRET_KEY: 'a refresh key of more than thirty-two bytes',
} as const

eachDatabase('a response far longer than the request body', (test, db) => {
  test.before(async () => {
    await createTables(db, [User])
    await insertRows(db, User, [
      { id: 1, name: 'ann', password_hash: await hashPassword('secret', 4) },
    ])
  })
  const api = () => testApi(db, [User], config)
  const json = { 'content-type': 'application/json' }

  /** Sends an invalid body; requires a 400 of limited size, and returns its errors. */
  const refused = async (url: string, body: string) => {
    const answer = await send(api(), 'POST', url, { headers: json, body })
    equal(answer.status, 400)
    const most = 2 * (url.length + body.length) + 16_384
    ok(answer.text.length <= most, `${body.length} were answered with ${answer.text.length}`)
    return answer.errors
  }
  /** The number of all problems: at least half of a hundred are listed, the last entry counts the others. */
  const counted = ({ problems }: { problems: readonly FieldProblem[] }): number => {
    const others = problems.at(-1)
    const listed = problems.length - 1
    ok(listed >= 50 && listed <= 100)
    return others?.code === 'more_problems' ? listed + others.params.count : listed
  }
  const list = (n: number, item: string): string => `[${Array(n).fill(item)}]`

  for (const url of ['/auth/login', '/auth/refresh', '/api/users']) {
    test(`a long key above many invalid strings, POST ${url}`, async () => {
      const errors = await refused(url, `{"${'k'.repeat(27_000)}":${list(800, '"\\u0000"')}}`)
      equal(errors.reason, 'The body has a key of more than 1000 characters, at character 1.')
    })

    test(`thousands of invalid strings, POST ${url}`, async () => {
      const { reason } = await refused(url, `{"${'k'.repeat(999)}":${list(40_000, '"\\u0000"')}}`)
      const paths = Object.keys(reason)
      ok(paths.length <= 101)
      equal(
        paths.filter((path) => path.length > 201),
        [],
      )
    })
  }

  test('problems that are not listed are counted', async () => {
    const errors = await refused('/api/users', `{"notes":${list(500, '"\\u0000"')}}`)
    equal(errors.reason['notes[0]'], ['A string cannot contain the character NUL.'])
    equal(counted(errors), 502)
  })

  test('of a list of records', async () => {
    const errors = await refused('/api/users', list(1000, '{"nme":1}'))
    equal(errors.reason['[0].nme'], ['Unknown field "nme". Did you mean "name"?'])
    equal(counted(errors), 3000)
  })
})
