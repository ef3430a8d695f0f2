// Row-level access: users see public notes and their own, in every kind of read, and change only their own.

import { belongsTo, createApi, defineModel, hasMany, policyFor } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { onStop, port } from '../bookshop.ts'

const database = new Sqlite(':memory:')
database.exec(`
  create table people (id integer primary key, name varchar(40) not null, api_key varchar(40) not null);
  create table notes (id integer primary key, text varchar(80) not null, public boolean not null,
    person_id integer not null references people (id));
  insert into people values (1, 'ann', 'ann-key'), (2, 'bob', 'bob-key');
  insert into notes values (1, 'Buy milk', 0, 1), (2, 'Meeting at ten', 1, 1), (3, 'Plan B', 0, 2);`)
// biome-ignore lint/suspicious/noExplicitAny: the tables are the text above
const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })

const Person = defineModel('Person', {
  table: 'people',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    api_key: { type: 'string', maxLength: 40, hidden: true },
  },
  relations: { notes: hasMany('Note', 'person_id') },
  meta: { allowed_methods: ['GET'], allow_join: true },
})

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  text: { type: 'string', maxLength: 80 },
  public: { type: 'boolean' },
  person_id: { type: 'integer' },
} as const

const ownOrPublic = policyFor(defineModel('Note', { columns }), db, {
  scope_query: (query, { user }) =>
    query.where((eb) => eb.or([eb('public', '=', 1), eb('person_id', '=', user.id)])),
  can_create: (note, { user }) => note.person_id === user.id,
  can_update: (note, _changes, { user }) => note.person_id === user.id,
  can_delete: (note, { user }) => note.person_id === user.id,
})

const Note = defineModel('Note', {
  columns,
  relations: { person: belongsTo('Person', 'person_id') },
  meta: { access_policy: ownOrPublic, allow_join: true },
})

const api = createApi({
  db,
  models: [Person, Note],
  config: {
    API_AUTHENTICATE_METHOD: ['api_key'],
    API_KEY_AUTH_AND_RETURN_METHOD: (key) =>
      db.selectFrom('people').selectAll().where('api_key', '=', key).executeTakeFirst(),
  },
})
const server = createServer(api)
onStop(async () => {
  await server.close()
  await db.destroy()
})

const url = await server.listen(port)
console.log(`Listening at ${url}
  curl '${url}/api/notes' -H 'authorization: Api-Key ann-key'
  curl '${url}/api/people?dump=json' -H 'authorization: Api-Key bob-key'
  curl -X DELETE '${url}/api/notes/2' -H 'authorization: Api-Key bob-key'`)
