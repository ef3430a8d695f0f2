/**
 * PostgreSQL: the error for a foreign key that refers to no record also named the key of a record that the same request had created, because
 * the keys are looked up after the rollback. On every database it named a key with which a new record refers to itself.
 */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const

const Team = defineModel('Team', {
  columns: { id, lead_id: key },
  relations: { lead: belongsTo('Person', 'lead_id'), people: hasMany('Person', 'team_id') },
  meta: {},
})
const Person = defineModel('Person', {
  columns: { id, team_id: key, mentor_id: key },
  relations: { team: belongsTo('Team', 'team_id'), mentor: belongsTo('Person', 'mentor_id') },
  meta: {},
})
const models: readonly AnyModel[] = [Team, Person]

/** The requests, and the paths of the keys that refer to no record. */
const cases: Readonly<Record<string, readonly [string, string, unknown, readonly string[]]>> = {
  'a nested to-one object': [
    'POST',
    '/api/people',
    { id: 2, mentor_id: 9, team: { id: 3 } },
    ['mentor_id'],
  ],
  'a nested to-one object of a list': [
    'POST',
    '/api/people',
    [{ id: 2, mentor_id: 9, team: { id: 3 } }],
    ['[0].mentor_id'],
  ],
  'a nested to-one object of a change': [
    'PATCH',
    '/api/people/1',
    { mentor_id: 9, team: { id: 3 } },
    ['mentor_id'],
  ],
  'a nested to-one object of a list of changes': [
    'PATCH',
    '/api/people',
    [{ id: 1, mentor_id: 9, team: { id: 3 } }],
    ['[0].mentor_id'],
  ],
  'nested to-one objects of several changes': [
    'PATCH',
    '/api/people',
    [
      { id: 1, team: { id: 3 } },
      { id: 5, mentor_id: 9, team: { id: 4 } },
    ],
    ['[1].mentor_id'],
  ],
  'the record around it': [
    'POST',
    '/api/teams',
    { id: 3, people: [{ id: 2, mentor_id: 9 }] },
    ['people[0].mentor_id'],
  ],
  'the record around several': [
    'POST',
    '/api/teams',
    { id: 3, people: [{ id: 2 }, { id: 4, mentor_id: 9 }] },
    ['people[1].mentor_id'],
  ],
  'the record around a new and an existing one': [
    'POST',
    '/api/teams',
    { id: 3, people: [{ id: 1 }, { id: 4, mentor_id: 9 }] },
    ['people[1].mentor_id'],
  ],
  'the record around one of a list': [
    'POST',
    '/api/teams',
    [{ id: 3 }, { id: 4, people: [{ id: 2, mentor_id: 9 }] }],
    ['[1].people[0].mentor_id'],
  ],
  itself: ['POST', '/api/people', { id: 2, mentor_id: 2, team_id: 9 }, ['team_id']],
  'no record': [
    'POST',
    '/api/people',
    { id: 2, mentor_id: 8, team_id: 9 },
    ['mentor_id', 'team_id'],
  ],
}

eachDatabase('a missing reference beside one to', (test, db) => {
  test.before(async () => {
    await createTables(
      db,
      models.map((model) => ({ ...model, relations: {} })),
    )
    await insertRows(db, Person, [
      { id: 1, team_id: null, mentor_id: null },
      { id: 5, team_id: null, mentor_id: null },
    ])
    if (db.name !== 'sqlite') {
      await db.execScript(`
        alter table people add foreign key (team_id) references teams (id);
        alter table people add foreign key (mentor_id) references people (id);
        alter table teams add foreign key (lead_id) references people (id)`)
    } else {
      await db.execScript(`
        drop table people;
        create table people (id integer primary key, team_id integer references teams (id), mentor_id integer references people (id));
        insert into people (id) values (1), (5)`)
    }
  })
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true })
  for (const [title, [method, url, body, paths]] of Object.entries(cases)) {
    test(`${title} names only the keys that refer to no record`, async () => {
      const { status, errors } = await send(api, method, url, { body })
      equal(status, 422)
      equal(Object.keys(errors.reason).sort(), [...paths])
    })
  }

  test('a nested to-one object is named if a callback has replaced its key', async () => {
    const replacing = testApi(db, models, {
      API_ALLOW_NESTED_WRITES: true,
      API_ADD_CALLBACK: (record) => ('team_id' in record ? { ...record, team_id: 9 } : record),
    })
    const body = { id: 2, team: { id: 3 } }
    const { status, errors } = await send(replacing, 'POST', '/api/people', { body })
    equal([status, Object.keys(errors.reason)], [422, ['team_id']])
  })
})
