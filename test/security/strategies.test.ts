/**
 * A caller who authenticated with a strategy that is enough for one model does not reach, by any route, another model that
 * requires a stronger one.
 */
import { type ApiRequest, belongsTo, createApi, defineModel, manyToMany } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const Member = defineModel('Member', {
  columns: { id, name: { type: 'string' }, password: { type: 'string', hidden: true } },
  methods: { check: (member, secret: string) => member.password === secret },
})

const Badge = defineModel('Badge', {
  columns: { id, vault_id: { type: 'integer' } },
  relations: {
    vault: belongsTo('Vault', 'vault_id'),
    doors: manyToMany('Door', { through: 'passes', from: 'badge_id', to: 'door_id' }),
  },
  meta: { authenticate_method: ['custom', 'basic'], allow_join: true },
})

const Door = defineModel('Door', {
  columns: { id },
  meta: { authenticate_method: ['custom', 'basic'] },
})

/** Reading and writing which person may pass which door requires a password. */
const Pass = defineModel('Pass', {
  columns: {
    badge_id: { type: 'integer', primaryKey: true },
    door_id: { type: 'integer', primaryKey: true },
  },
  meta: { authenticate_method: ['basic'] },
})

const Vault = defineModel('Vault', {
  columns: { id, code: { type: 'string' } },
  meta: { authenticate_method: ['basic'] },
})

eachDatabase('a strategy', (test, db) => {
  const api = createApi({
    db: db.kysely,
    models: [Member, Badge, Vault, Door, Pass],
    config: {
      API_ALLOW_NESTED_WRITES: true,
      API_USER_MODEL: Member,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      API_CUSTOM_AUTH: (request: ApiRequest) => request.headers?.['x-badge'] === '7',
    },
    clock: frozenClock(),
    onWarning: () => {},
  })
  const badge = { 'x-badge': '7' }
  const password = { authorization: `Basic ${btoa('ann:secret')}` }
  const send = (url: string, headers: Readonly<Record<string, string>>) =>
    api.handle({ method: 'GET', url, headers })

  test.before(async () => {
    await createTables(db, [Member, Vault, Badge, Door, Pass])
    await insertRows(db, Member, [{ id: 1, name: 'ann', password: 'secret' }])
    await insertRows(db, Vault, [{ id: 1, code: 'open sesame' }])
    await insertRows(db, Badge, [{ id: 1, vault_id: 1 }])
    await insertRows(db, Door, [{ id: 1 }, { id: 2 }])
    await insertRows(db, Pass, [{ badge_id: 1, door_id: 1 }])
  })

  test('that other models do not accept gives access to its own model only', async () => {
    equal((await send('/api/badges', badge)).status, 200)
    equal((await send('/api/vaults', badge)).status, 401)
    equal((await send('/api/badges?join=vault', badge)).status, 403)
    equal((await send('/api/badges?join=vault&fields=vault.code', badge)).status, 403)
    equal((await send('/api/badges?exists(vault.code__like=open)', badge)).status, 403)
    ok([401, 403].includes((await send('/api/badges/1/vault', badge)).status))
    const { body } = await send('/api/badges/1?dump=json', badge)
    equal((body as unknown as { value: { vault: unknown } }).value.vault, '/api/badges/1/vault')
  })

  test('that both models accept gives access to both', async () => {
    equal((await send('/api/vaults', password)).status, 200)
    equal((await send('/api/badges?join=vault&fields=vault.code', password)).status, 200)
    equal((await send('/api/badges/1/vault', password)).status, 200)
  })

  const write = async (body: object, headers: Readonly<Record<string, string>>) => {
    const { status } = await api.handle({ method: 'PATCH', url: '/api/badges/1', headers, body })
    return status
  }

  test('that other models do not accept cannot write to them by a nested link or a list of links', async () => {
    for (const vault of [1, 99]) equal(await write({ vault: { id: vault } }, badge), 403)
    equal(await write({ doors: [{ id: 1 }, { id: 2 }] }, badge), 403)
    equal(await write({ doors: [] }, badge), 403)
    // Neither creates nor deletes a link.
    equal(await write({ doors: [{ id: 1 }] }, badge), 200)
    equal(await db.kysely.selectFrom('passes').select('door_id').execute(), [{ door_id: 1 }])
    equal(await write({ vault: { id: 1 }, doors: [{ id: 2 }] }, password), 200)
    equal(await db.kysely.selectFrom('passes').select('door_id').execute(), [{ door_id: 2 }])
  })
})
