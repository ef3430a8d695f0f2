/** Foreign keys between integer and bigint columns: no value is rounded, whichever side has the larger type. */
import { type IntrospectOptions, introspect } from '@model-api/core/introspect'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const wide = '9007199254740993'

eachDatabase('keys that are wider than the keys they refer to', (test, db) => {
  // MySQL has no foreign keys between different types.
  const declared = db.name !== 'mysql'
  const references = declared ? ' references kinds (id)' : ''
  test.before(() =>
    db.execScript(`
create table kinds (id integer primary key);
create table narrow_items (id integer primary key, kind_id bigint not null${references});
create table groups_of (id integer primary key);
create table wide_items (id integer primary key, group_id bigint not null);
insert into kinds values (1);
insert into narrow_items values (1, 1);
insert into groups_of values (1);
insert into wide_items values (1, 1), (2, ${wide});
${db.name === 'postgres' ? 'alter table wide_items add foreign key (group_id) references groups_of (id) not valid;' : ''}
`),
  )
  const relations = [
    { table: 'wide_items', columns: ['group_id'], to: 'groups_of', references: ['id'] },
  ]
  const serve = async (options: IntrospectOptions) => {
    const { models, notes } = await introspect(db.kysely, options)
    const config = { API_SCHEMA_CHECK: 'off', API_ALLOW_JOIN: true } as const
    const api = testApi(
      db,
      models.map((model) => ({ ...model, meta: {} })),
      config,
    )
    return { api, notes: notes.map(({ table, note }) => `${table}: ${note}`) }
  }

  test('make the key a bigint if they may exceed a JSON number', async () => {
    const { api, notes } = await serve(db.name === 'postgres' ? {} : { relations })
    const note = notes.filter((one) => one.startsWith('groups_of'))
    equal(note.length, 1)
    equal(await read(api, '/api/wide-items?fields=group_id&order_by=id'), [
      { group_id: '1' },
      { group_id: wide },
    ])
    equal((await get(api, `/api/wide-items?group_id__eq=${wide}`)).total, 1)
    const [one, two] = await read(api, '/api/wide-items?dump=json&order_by=id')
    equal([one.group.id, two.group], ['1', null])
    equal((await get(api, '/api/groups-ofs/1/wide-items')).total, 1)
    equal((await get(api, `/api/groups-ofs/${wide}`)).status, 404)
    equal((await get(api, `/api/groups-ofs?id__lt=${wide}`)).total, 1)
    const differences = await api.schemaDifferences()
    equal(
      differences.filter(({ kind }) => kind !== 'foreign key'),
      [],
    )
  })

  if (declared) {
    test('become integers if a foreign key, or the stored values, exclude greater ones', async () => {
      const { api } = await serve({})
      equal(await read(api, '/api/narrow-items/1?dump_relationships=false'), { id: 1, kind_id: 1 })
      equal((await read(api, '/api/narrow-items/1/kind')).id, 1)
    })
  }
})
