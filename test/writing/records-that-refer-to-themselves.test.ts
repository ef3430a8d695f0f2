/** A record that refers only to itself can be deleted on every database; one to which others refer is 409. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const integer = { type: 'integer', nullable: true } as const
const Node = defineModel('Node', {
  columns: { id: { type: 'integer', primaryKey: true }, parent_id: integer, first_id: integer },
  relations: {
    parent: belongsTo('Node', 'parent_id'),
    children: hasMany('Node', 'parent_id'),
    first: belongsTo('Node', 'first_id'),
  },
  meta: {},
})

eachDatabase('records that refer to themselves', (test, db) => {
  const api = testApi(db, [Node], {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_ALLOW_CASCADE_DELETE: true,
  })
  test.before(() =>
    db.execScript(`
      create table nodes (id integer primary key, parent_id integer, first_id integer,
        constraint to_parent foreign key (parent_id) references nodes (id),
        constraint to_first foreign key (first_id) references nodes (id));
      insert into nodes (id) values (1), (2), (3), (4), (5), (6), (7), (8);
      update nodes set parent_id = id, first_id = id;
      update nodes set parent_id = 5 where id = 6;
      update nodes set parent_id = 7 where id = 8`),
  )
  const left = async (): Promise<readonly unknown[]> =>
    (await db.kysely.selectFrom('nodes').select('id').orderBy('id').execute()).map(({ id }) => id)
  const removed = async (url: string): Promise<unknown> => (await send(api, 'DELETE', url)).status

  test('are deleted', async () => {
    equal([await removed('/api/nodes/1'), await left()], [200, [2, 3, 4, 5, 6, 7, 8]])
    equal([await removed('/api/nodes?id__in=(2,3)'), await left()], [200, [4, 5, 6, 7, 8]])
    const operations = [{ id: 'a', method: 'DELETE', url: '/api/nodes/4' }]
    const { status } = await send(api, 'POST', '/api/batch', { body: { operations } })
    equal([status, await left()], [200, [5, 6, 7, 8]])
  })

  test('are not while others refer to them', async () => {
    equal([await removed('/api/nodes/5'), await left()], [409, [5, 6, 7, 8]])
    equal([await removed('/api/nodes?id__in=(5,6)'), await left()], [200, [7, 8]])
    equal([await removed('/api/nodes/7?cascade_delete=1'), await left()], [200, []])
  })
})

/** Each node refers to one, the root to itself. */
const Strict = defineModel('Leaf', {
  columns: { id: { type: 'integer', primaryKey: true }, root_id: { type: 'integer' } },
  relations: { root: belongsTo('Leaf', 'root_id') },
  meta: {},
})

eachDatabase('records that refer to themselves by a key that may not be NULL', (test, db) => {
  const api = testApi(db, [Strict], { API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true })
  test.before(() =>
    db.execScript(`
      create table leaves (id integer primary key, root_id integer not null,
        constraint to_root foreign key (root_id) references leaves (id));
      insert into leaves (id, root_id) values (1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (6, 6)`),
  )
  const left = async (): Promise<readonly unknown[]> =>
    (await db.kysely.selectFrom('leaves').select('id').orderBy('id').execute()).map(({ id }) => id)
  const removed = async (url: string): Promise<unknown> => (await send(api, 'DELETE', url)).status

  test('are deleted while the table has other records', async () => {
    equal([await removed('/api/leaves/1'), await left()], [200, [2, 3, 4, 5, 6]])
    equal([await removed('/api/leaves?id__in=(2,3)'), await left()], [200, [4, 5, 6]])
    equal([await removed('/api/leaves/4'), await left()], [409, [4, 5, 6]])
    equal([await removed('/api/leaves/4?cascade_delete=1'), await left()], [200, [6]])
  })

  test('are not deleted by MariaDB and MySQL while they are alone', async () => {
    const isKept = db.name === 'mysql'
    equal([await removed('/api/leaves/6'), await left()], isKept ? [409, [6]] : [200, []])
  })
})
