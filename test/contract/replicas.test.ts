/** createApi({ replicas }): which requests use a replica and which the primary, and what happens to reads if one is unavailable. */
import { type Api, belongsTo, defineModel, hashApiKey, hasMany } from '@model-api/core'
import type { Client } from '@model-api/core/client'
import { fragment } from '@model-api/core/internals'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { jwtKeys } from '../auth/people.ts'
import { forge } from '../auth/tokens.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { databaseBeside, everyDatabase, type TestDatabase } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { withReplication } from '../support/replication.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Team = defineModel('Team', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
  },
  relations: { notes: hasMany('Note', 'team_id') },
  meta: {},
})

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    team_id: { type: 'integer', nullable: true },
    text: { type: 'string', maxLength: 40 },
  },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: {},
})

const models = [Team, Note]
type Teams = Api<{ models: [typeof Team, typeof Note] }>

const config = {
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const,
  API_ALLOW_NESTED_WRITES: true,
  API_SERIALIZATION_TYPE: 'json' as const,
}

/** The databases have different data, so that each response shows which one was read. */
async function fill(db: TestDatabase, where: string): Promise<void> {
  await createTables(db, models)
  await insertRows(db, Team, [{ id: 1, name: where }])
  await insertRows(db, Note, [{ id: 50, team_id: 1, text: where }])
}

eachDatabase('replicas', (test, primary) => {
  const first = databaseBeside(primary)
  const second = databaseBeside(primary)
  test.before(async () => {
    await fill(primary, 'primary')
    await fill(first, 'first')
    await fill(second, 'second')
  })
  test.after(async () => {
    await first.close()
    await second.close()
  })

  const warnings: string[] = []
  const withReplicas = (...replicas: readonly TestDatabase[]) =>
    testApi(primary, models, config, {
      replicas: replicas.map(({ kysely }) => kysely),
      onWarning: (warning) => warnings.push(warning),
    })

  test('lists, records, relations and what is embedded are read from a replica', async () => {
    const api = withReplicas(first)
    await api.ready
    const list = await get(api, '/api/teams')
    equal([list.value[0].name, list.value[0].notes[0].text], ['first', 'first'])
    equal((await get(api, '/api/teams/1')).value.name, 'first')
    equal((await get(api, '/api/notes/50/team')).value.name, 'first')
    equal((await get(api, '/api/teams/1/notes?fields=text')).value, [{ text: 'first' }])
    equal((await get(api, '/api/teams?count=exact&name__eq=first')).total, 1)
    equal((await get(api, '/api/teams?exists(notes.text__eq=primary)')).value, [])
    equal((await send(api, 'HEAD', '/api/teams/1')).status, 200)
  })

  test('api.as reads as GET does; with { db }, and in hooks, it reads what it is given, which no replica replaces', async () => {
    const api = withReplicas(first)
    await api.ready
    const nameBy = async (client: { readonly [name: string]: unknown }): Promise<unknown> =>
      (await (client as unknown as Client<Teams>).teams.get(1).unwrap()).name
    const own = { db: primary.kysely }
    equal([await nameBy(api.as(null)), await nameBy(api.as(null, own))], ['first', 'primary'])
    equal(await nameBy(api.as('system', { db: second.kysely })), 'second')
    const told: unknown[] = []
    const hooked = testApi(
      primary,
      models,
      {
        ...config,
        API_RETURN_CALLBACK: async (value, { as, action }) => {
          if (action === 'GET_MANY') told.push(await nameBy(as.user), await nameBy(as.system))
          return value
        },
      },
      { replicas: [first.kysely] },
    )
    await hooked.ready
    equal((await get(hooked, '/api/teams')).value[0].name, 'first')
    equal(told, ['primary', 'primary'])
  })

  test('repeated reads with cached statements are read from a replica', async () => {
    const api = withReplicas(first)
    await api.ready
    for (let i = 0; i < 4; i++) {
      equal((await get(api, '/api/teams?name__ne=x')).value[0].name, 'first')
      equal((await get(api, '/api/teams/1')).value.name, 'first')
    }
  })

  test('several replicas take turns', async () => {
    const api = withReplicas(first, second)
    await api.ready
    const names = []
    for (let i = 0; i < 4; i++) names.push((await get(api, '/api/teams/1')).value.name)
    equal(names.sort(), ['first', 'first', 'second', 'second'])
  })

  test('before any replica has responded, the primary is read', async () => {
    const api = withReplicas(first)
    equal((await get(api, '/api/teams/1')).value.name, 'primary')
    await api.ready
    equal((await get(api, '/api/teams/1')).value.name, 'first')
  })

  test('writes, their echoes and their preconditions go to the primary', async () => {
    const api = withReplicas(first)
    await api.ready
    const created = await send(api, 'POST', '/api/teams', { body: { id: 5, name: 'new' } })
    equal([created.status, created.value.name], [201, 'new'])
    equal((await get(api, '/api/teams/5')).status, 404)
    const tag = (await get(api, '/api/teams/1')).headers.etag ?? ''
    const stale = await send(api, 'PATCH', '/api/teams/1', {
      body: { name: 'x' },
      headers: { 'if-match': tag },
    })
    equal(stale.status, 412)
    const nested = { id: 6, name: 'six', notes: [{ text: 'one' }] }
    const whole = await send(api, 'POST', '/api/teams', { body: nested })
    equal([whole.status, whole.value.notes[0].text], [201, 'one'])
    const changes = { name: 'newer' }
    const changed = await send(api, 'PATCH', '/api/teams/5', { body: changes })
    equal([changed.status, changed.value.name], [200, 'newer'])
    equal((await send(api, 'DELETE', '/api/notes/50')).status, 200)
    equal((await get(api, '/api/notes/50')).value.text, 'first')
    equal((await get(api, '/api/teams/1')).value.name, 'first')
  })

  test('an instance of the session getter takes precedence over replicas', async () => {
    const api = testApi(
      primary,
      models,
      { ...config, API_SESSION_GETTER: () => second.kysely },
      { replicas: [first.kysely] },
    )
    await api.ready
    equal((await get(api, '/api/teams/1')).value.name, 'second')
  })

  test('hooks and policies receive the primary', async () => {
    const seen: string[] = []
    const api = testApi(
      primary,
      models,
      {
        ...config,
        API_RETURN_CALLBACK: async (data, { db }) => {
          const row = await db
            .selectFrom(Team.table)
            .select('name')
            .where('id', '=', 1)
            .executeTakeFirst()
          seen.push(String(row?.name))
          return data
        },
      },
      { replicas: [first.kysely] },
    )
    await api.ready
    equal((await get(api, '/api/teams/1')).value.name, 'first')
    equal(seen, ['primary'])
  })

  test('policies narrow what is read from a replica', async () => {
    const api = testApi(
      primary,
      models,
      {
        ...config,
        API_ACCESS_POLICY: {
          scope_query: (query, { model }) =>
            model === Note ? query.where('id', '<', 0) : query.where('id', '=', 1),
        },
      },
      { replicas: [first.kysely] },
    )
    await api.ready
    const { value } = await get(api, '/api/teams')
    equal([value.length, value[0].name, value[0].notes], [1, 'first', []])
    equal((await get(api, '/api/notes/50')).status, 404)
  })

  /** A user whose roles differ in the replica. */
  const Reader = defineModel('Reader', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      name: { type: 'string', maxLength: 40 },
      key_hash: { type: 'string', maxLength: 64 },
      roles: { type: 'json' },
    },
    methods: { check: () => true },
    meta: {},
  })
  const withToken = async (sub: string) => ({
    authorization: `Bearer ${await forge({ payload: { sub, lookup: 'reader' } })}`,
  })
  const withKey = (key: string) => ({ authorization: `Api-Key ${key}` })
  const readersApi = () =>
    testApi(
      primary,
      [...models, Reader],
      {
        ...config,
        ...jwtKeys,
        API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
        API_USER_MODEL: Reader,
        API_USER_LOOKUP_FIELD: 'name',
        API_CREDENTIAL_HASH_FIELD: 'key_hash',
        API_CREDENTIAL_CHECK_METHOD: 'check',
        API_ROLE_MAP: { GET: ['there'], PATCH: ['here'] },
      },
      { replicas: [first.kysely] },
    )

  test('users and their roles come from the primary', async () => {
    for (const [db, key, roles] of [
      [primary, 'new', ['here']],
      [first, 'old', ['there']],
    ] as const) {
      await createTables(db, [Reader])
      const key_hash = await hashApiKey(key)
      await insertRows(db, Reader, [{ id: 1, name: 'reader', key_hash, roles }])
    }
    const headers = await withToken('1')
    const api = readersApi()
    await api.ready
    const read = await get(api, '/api/teams/1', headers)
    const body = { name: 'primary' }
    const write = await send(api, 'PATCH', '/api/teams/1', { headers, body })
    equal([read.status, write.status], [403, 200])
  })

  test('API keys are checked on the primary, where they may have been revoked', async () => {
    const api = readersApi()
    await api.ready
    const status = async (key: string) => (await get(api, '/api/teams/1', withKey(key))).status
    // The primary knows the first key, whose user has a role that may not read; only the replica knows the second key.
    equal([await status('new'), await status('old')], [403, 401])
  })

  test('if the position of a write cannot be queried, the write succeeds, and reads after it go to the primary', async () => {
    const dialect = withReplication(primary.kysely, {
      position: fragment`no_such_column`,
      needs: 'nothing',
      isPosition: (text) => text === 'here',
      reached: () => fragment`1`,
    })
    const errors: unknown[] = []
    const api = testApi(
      primary,
      models,
      { ...config, API_READ_YOUR_WRITES: 'header' },
      { replicas: [first.kysely], dialect, onError: (error) => errors.push(error) },
    )
    await api.ready.catch(() => {})
    const body = { name: 'primary' }
    const written = await send(api, 'PATCH', '/api/teams/1', { body })
    equal([written.status, written.headers['x-write-position']], [200, 'unknown'])
    match(String(errors[0]), 'the position of a write is not known')
    const read = (position: string) => get(api, '/api/teams/1', { 'x-write-position': position })
    equal((await read('unknown')).value.name, 'primary')
    equal((await read('here')).value.name, 'first')
  })

  test('a read with a position that no replica reaches, real or forged, asks the replica twice, then the primary', async () => {
    let isReached = false
    const dialect = withReplication(primary.kysely, {
      position: fragment`'here'`,
      needs: 'nothing',
      isPosition: (text) => /^[a-z]+$/.test(text),
      reached: () => (isReached ? fragment`1` : fragment`0`),
    })
    const api = testApi(
      primary,
      models,
      { ...config, API_READ_YOUR_WRITES: 'header' },
      { replicas: [first.kysely], dialect },
    )
    await api.ready
    const read = (position: string) =>
      first.capture(() => get(api, '/api/teams/1', { 'x-write-position': position }))
    for (const position of ['forged', 'forged', 'other']) {
      const { result, statements } = await read(position)
      equal([result.value.name, statements.length], ['primary', 2])
    }
    isReached = true
    const { statements: without } = await first.capture(() => get(api, '/api/teams/1'))
    // The answer to the question is remembered.
    for (const questions of [1, 0]) {
      const { result, statements } = await read('other')
      equal([result.value.name, statements.length - without.length], ['first', questions])
    }
  })

  test('a read with a position that the replica reaches after the first question is read from the replica', async () => {
    let asked = 0
    const dialect = withReplication(primary.kysely, {
      position: fragment`'here'`,
      needs: 'nothing',
      isPosition: (text) => text === 'here',
      reached: () => {
        asked += 1
        return asked > 1 ? fragment`1` : fragment`0`
      },
    })
    const api = testApi(
      primary,
      models,
      { ...config, API_READ_YOUR_WRITES: 'header' },
      { replicas: [first.kysely], dialect },
    )
    await api.ready
    const read = await get(api, '/api/teams/1', { 'x-write-position': 'here' })
    equal([read.value.name, asked], ['first', 2])
  })

  test('no position that a client may send is refused by the server, whose own error would be a 500', async () => {
    if (primary.name === 'sqlite') return
    const api = testApi(
      primary,
      models,
      { ...config, API_READ_YOUR_WRITES: 'header' },
      { replicas: [first.kysely] },
    )
    await api.ready
    const uuid = '3e11fa47-71ca-11e1-9e33-c80aa9429562'
    const positions = [
      ...['0/0', 'FFFFFFFF/FFFFFFFF', 'ffffffff/0'],
      ...['0-1-18446744073709551615', '0-1-18446744073709551616', '4294967295-4294967295-1'],
      ...['4294967296-1-5', '0-4294967296-5', '0-1-5,0-2-6', '0-0-0', '00-01-0000000000000000005'],
      ...['0', '1', '5-1', '1-2-3', '-1', '1:tag:1-3', '1:tag', 'tag:1', 'tag:tag:1', '1_'].map(
        (tail) => `${uuid}:${tail}`,
      ),
      ...['9223372036854775806', '9223372036854775807', '99999999999999999999'].flatMap((most) => [
        `${uuid}:${most}`,
        `${uuid}:1-${most}`,
      ]),
      ...[`${uuid}:t${'a'.repeat(31)}:1`, `${uuid}:t${'a'.repeat(32)}:1`, `${uuid}:7tag:1`],
      ...[`${uuid}:1,${uuid}:2`, `${uuid.replaceAll('-', '0')}:1`, `${'-'.repeat(36)}:1`],
    ]
    for (const position of positions) {
      const { status, errors } = await get(api, '/api/teams/1', { 'x-write-position': position })
      ok(status === 200 || errors?.code === 'invalid_position', `${position}: ${status}`)
    }
  })

  test('an unavailable replica is skipped in favour of the primary, with one warning', async () => {
    const away = await unreachable(primary)
    if (away === undefined) return
    warnings.length = 0
    const api = testApi(primary, models, config, {
      replicas: [away],
      onWarning: (warning) => warnings.push(warning),
    })
    await api.ready
    for (let i = 0; i < 3; i++) equal((await get(api, '/api/teams/1')).value.name, 'primary')
    const told = warnings.filter((warning) => warning.startsWith('replicas[0] is unavailable'))
    equal(told.length, 1)
    await away.destroy()
  })

  test('a replica that is lost between two reads fails no request', async () => {
    const third = databaseBeside(primary)
    await fill(third, 'third')
    const api = withReplicas(third)
    await api.ready
    equal((await get(api, '/api/teams/1')).value.name, 'third')
    await third.close()
    if (primary.name === 'sqlite') return
    const answers = await Promise.all([1, 2, 3].map(() => get(api, '/api/teams/1')))
    equal(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    equal(
      answers.map(({ value }) => value.name),
      ['primary', 'primary', 'primary'],
    )
  })

  test('an invalid replica is an error at start-up', () => {
    throws(
      () => testApi(primary, models, config, { replicas: [{} as never] }),
      /replicas\[0\]: expected a Kysely instance/,
    )
    const other = everyDatabase().find(({ name }) => name !== primary.name)
    ok(other !== undefined)
    throws(
      () => testApi(primary, models, config, { replicas: [other.kysely] }),
      /replicas\[0\]: is a database of the kind/,
    )
    throws(
      () => testApi(primary, models, { ...config, API_READ_YOUR_WRITES: 'header' }),
      /config\.API_READ_YOUR_WRITES: needs replicas, and there are none/,
    )
    const tells = { ...config, API_READ_YOUR_WRITES: 'header' as const }
    testApi(primary, models, tells, { replicas: [] })
    const withOne = () => testApi(primary, models, tells, { replicas: [first.kysely] })
    if (primary.name === 'sqlite') throws(withOne, /needs a database that reports its log position/)
    else withOne()
  })
})

/** The address of a database that does not exist. */
// biome-ignore lint/suspicious/noExplicitAny: no table is ever asked for
async function unreachable({ name }: TestDatabase): Promise<Kysely<any> | undefined> {
  const port = await freePort()
  if (name === 'postgres') {
    const { default: pg } = await import('pg')
    return new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ host: '127.0.0.1', port }) }),
    })
  }
  if (name === 'mysql') {
    const { createPool } = await import('mysql2')
    return new Kysely({
      dialect: new MysqlDialect({ pool: createPool({ host: '127.0.0.1', port }) }),
    })
  }
  return undefined
}
