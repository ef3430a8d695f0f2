/** can_create, can_update and can_delete: a refusal of a policy is 403, and nothing is stored. */
import { type ApiConfig, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

interface Note {
  readonly locked?: boolean
}

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    text: { type: 'string', maxLength: 40 },
    locked: { type: 'boolean' },
  },
  meta: {
    allow_bulk: true,
    access_policy: {
      can_create: (data: Note) => data.locked === false,
      can_update: (stored: Note, changes: Note) => !stored.locked && changes.locked !== true,
      can_delete: (stored: Note) => !stored.locked,
    },
  },
})

const config: ApiConfig = { API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }

eachDatabase('a policy', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [
      { id: 1, text: 'locked', locked: true },
      { id: 2, text: 'open', locked: false },
    ])
  })
  const api = testApi(db, [Note], config)
  const status = async (method: string, url: string, body?: unknown) =>
    (await send(api, method, url, body === undefined ? {} : { body })).status
  const stored = async () =>
    (await db.kysely.selectFrom('notes').select(['id', 'text']).orderBy('id').execute()).map(
      ({ id, text }) => [id, text],
    )
  const before = [
    [1, 'locked'],
    [2, 'open'],
  ]

  test('that refuses a new record, a change and a deletion prevents each of them', async () => {
    equal(await status('POST', '/api/notes', { id: 3, text: 'new', locked: true }), 403)
    equal(await status('PATCH', '/api/notes/1', { text: 'changed' }), 403)
    equal(await status('PUT', '/api/notes/1', { text: 'changed', locked: false }), 403)
    equal(await status('PATCH', '/api/notes/2', { locked: true }), 403)
    equal(await status('DELETE', '/api/notes/1'), 403)
    equal(await stored(), before)
  })

  test('that refuses one of several records prevents all', async () => {
    const list = [
      { id: 3, text: 'new', locked: false },
      { id: 4, text: 'new', locked: true },
    ]
    equal(await status('POST', '/api/notes', list), 403)
    equal(await status('PATCH', '/api/notes?id__ge=1', { text: 'changed' }), 403)
    equal(await status('DELETE', '/api/notes?id__ge=1'), 403)
    equal(await stored(), before)
  })

  test('names the record of a list that it refuses', async () => {
    const refusal = async (method: string, url: string, body: unknown) => {
      const { status, errors } = await send(api, method, url, { body })
      return [status, errors.code, errors.reason]
    }
    const text = 'This is not allowed for the current user.'
    const named = [403, 'forbidden', { '[1]': [text] }]
    const open = { id: 3, text: 'new', locked: false }
    equal(await refusal('POST', '/api/notes', [open, { ...open, id: 4, locked: true }]), named)
    const changes = [
      { id: 2, text: 'changed' },
      { id: 1, text: 'changed' },
    ]
    equal(await refusal('PATCH', '/api/notes', changes), named)
    equal(await refusal('POST', '/api/notes?on_conflict=id', changes), named)
    const plain = [403, 'forbidden', text]
    equal(await refusal('POST', '/api/notes', { ...open, locked: true }), plain)
    equal(await refusal('PATCH', '/api/notes/1', { text: 'changed' }), plain)
    equal(await refusal('PATCH', '/api/notes?id__ge=1', { text: 'changed' }), plain)
    equal(await stored(), before)
  })

  test('does not affect other records', async () => {
    equal(await status('POST', '/api/notes', { id: 3, text: 'new', locked: false }), 201)
    equal(await status('PATCH', '/api/notes/3', { text: 'changed' }), 200)
    equal(await status('DELETE', '/api/notes/3'), 200)
    equal(await stored(), before)
  })
})

const id = { type: 'integer', primaryKey: true } as const
const name = { type: 'string', maxLength: 40, nullable: true } as const
const named = (data: { readonly name: string | null }) => data.name !== 'refused'
const Team = defineModel('Team', {
  columns: { id: { ...id, generated: true }, name },
  relations: {
    players: hasMany('Player', 'team_id'),
    labels: manyToMany('Label', { through: 'team_labels', from: 'team_id', to: 'label_id' }),
  },
  meta: { allow_bulk: true },
})
const Player = defineModel('Player', {
  columns: { id: { ...id, generated: true }, name, team_id: { type: 'integer', nullable: true } },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: { allow_bulk: true, access_policy: { can_create: named, can_update: named } },
})
const Label = defineModel('Label', {
  columns: { id, name },
  meta: { role_map: { POST: 'librarian', ALL: true } },
})
const TeamLabel = defineModel('TeamLabel', {
  columns: {
    team_id: { type: 'integer', primaryKey: true },
    label_id: { type: 'integer', primaryKey: true },
  },
  relations: { team: belongsTo('Team', 'team_id'), label: belongsTo('Label', 'label_id') },
  meta: {
    access_policy: {
      can_create: ({ label_id }: { readonly label_id: number }) => label_id !== 2,
      can_delete: ({ label_id }: { readonly label_id: number }) => label_id !== 3,
    },
  },
})

eachDatabase('a refused nested record', (test, db) => {
  const teams = [Team, Player, Label, TeamLabel]
  test.before(async () => {
    await createTables(db, teams)
    await insertRows(
      db,
      Label,
      [1, 2, 3].map((id) => ({ id, name: `label ${id}` })),
    )
    await insertRows(db, Team, [{ name: 'first' }])
    await insertRows(db, Player, [{ name: 'refused' }])
    await insertRows(db, TeamLabel, [{ team_id: 1, label_id: 3 }])
  })
  const api = testApi(db, teams, {
    API_ALLOW_NESTED_WRITES: true,
    API_AUTHENTICATE_METHOD: ['custom'],
    API_CUSTOM_AUTH: () => ({ roles: [] }),
  })
  const text = 'This is not allowed for the current user.'
  const refused = async (path: string, method: string, url: string, body: unknown) => {
    const { status, errors } = await send(api, method, url, { body })
    equal([status, errors?.code, errors?.reason], [403, 'forbidden', { [path]: [text] }])
  }

  test('is named by its path', async () => {
    const players = [{ name: 'good' }, { name: 'refused' }]
    await refused('players[1]', 'POST', '/api/teams', { name: 't', players })
    await refused('[1].players[1]', 'POST', '/api/teams', [{ name: 't' }, { name: 'u', players }])
    await refused('players[0]', 'POST', '/api/teams', { name: 't', players: [{ id: 1 }] })
  })

  test('is named if a role refuses it', async () => {
    const labels = [{ id: 1 }, { id: 7, name: 'new' }]
    await refused('labels[1]', 'POST', '/api/teams', { name: 't', labels })
  })

  test('is named if its link is refused; a list that removes a link is named itself', async () => {
    await refused('labels[1]', 'POST', '/api/teams', { name: 't', labels: [{ id: 1 }, { id: 2 }] })
    await refused('labels', 'PATCH', '/api/teams/1', { labels: [] })
  })
})
