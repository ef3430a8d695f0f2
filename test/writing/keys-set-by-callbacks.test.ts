/** A list of deletions empties a reference, and the callback of that change makes the record refer to a later record of the list. */
import { type AnyModel, belongsTo, defineModel, hasMany, hasOne, type Meta } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const

/** The relations of each side, by what declares the second key. */
const declarations = {
  belongsTo: { member: { deputy: belongsTo('Team', 'deputy_id') }, team: {} },
  hasMany: {
    member: {},
    team: { deputies: hasMany('Member', 'deputy_id', { on_delete: 'null' }) },
  },
  hasOne: { member: {}, team: { deputy: hasOne('Member', 'deputy_id', { on_delete: 'null' }) } },
} as const

/** What the callback of a change makes of a member. */
const callbacks: Readonly<Record<string, object>> = {
  'the other key': { deputy_id: 2 },
  'the same key': { team_id: 2 },
}

eachDatabase('foreign keys that callbacks set', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table teams (id integer primary key);
      create table members (id integer primary key, team_id integer, deputy_id integer,
        foreign key (team_id) references teams (id), foreign key (deputy_id) references teams (id))`),
  )
  for (const [kind, { member, team }] of Object.entries(declarations)) {
    for (const [title, set] of Object.entries(callbacks)) {
      test(`are found at the turn of the record to which they lead: ${title}, declared by ${kind}`, async () => {
        const meta: Meta = {
          update_callback: (record, _, { before }) =>
            before?.team_id === 1 ? { ...record, ...set } : record,
        }
        const models = [
          defineModel('Team', {
            columns: { id },
            relations: { members: hasMany('Member', 'team_id', { on_delete: 'null' }), ...team },
            meta: {},
          }),
          defineModel('Member', {
            columns: { id, team_id: key, deputy_id: key },
            relations: member,
            meta,
          }),
        ] as readonly AnyModel[]
        const api = testApi(db, models, { API_ALLOW_BULK: true })
        await db.kysely.deleteFrom('members').execute()
        await db.kysely.deleteFrom('teams').execute()
        await db.kysely
          .insertInto('teams')
          .values([{ id: 1 }, { id: 2 }])
          .execute()
        await db.kysely
          .insertInto('members')
          .values([{ id: 1, team_id: 1 }])
          .execute()
        const { status, errors } = await send(api, 'DELETE', '/api/teams?id__gt=0')
        const left = await db.kysely.selectFrom('members').selectAll().execute()
        // Without an on_delete, the second key prevents the deletion of team 2.
        const isRefused = kind === 'belongsTo' && title === 'the other key'
        equal(
          [status, errors?.reason, left],
          isRefused
            ? [
                409,
                'Other records refer to this one: members.',
                [{ id: 1, team_id: 1, deputy_id: null }],
              ]
            : [200, undefined, [{ id: 1, team_id: null, deputy_id: null }]],
        )
      })
    }
  }
})
