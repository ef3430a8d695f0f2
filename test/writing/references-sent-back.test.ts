/** A client may send a response back although it refers to a record that the caller may not see; the reference must be unchanged. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Project = defineModel('Project', {
  table: 'projects',
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: { access_policy: { scope: { id: { lt: 10 } } } },
})

const Task = defineModel('Task', {
  table: 'tasks',
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string' },
    project_id: { type: 'integer' },
  },
  relations: { project: belongsTo('Project', 'project_id') },
  meta: {},
})

eachDatabase('a reference to a record that the caller may not see', (test, db) => {
  const api = testApi(db, [Project, Task] as readonly AnyModel[], {
    API_ALLOW_BULK: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT'],
  })
  const statusOf = async (method: string, url: string, body: unknown) =>
    (await send(api, method, url, { body })).status

  test.before(async () => {
    await db.execScript(`
      create table projects (id integer primary key);
      create table tasks (
        id integer primary key, title varchar(20) not null, project_id integer not null references projects (id));
      insert into projects values (1), (20), (30);
      insert into tasks values (1, 'a', 20), (2, 'b', 1);`)
  })

  test('may be sent back unchanged, alone and in a list', async () => {
    const { body } = await send(api, 'GET', '/api/tasks/1')
    equal(body.value.project_id, 20)
    equal(await statusOf('PATCH', '/api/tasks/1', { ...body.value, title: 'c' }), 200)
    equal(await statusOf('PUT', '/api/tasks/1', { title: 'd', project_id: 20 }), 200)
    const list = [
      { id: 1, title: 'e', project_id: 20 },
      { id: 2, title: 'f', project_id: 1 },
    ]
    equal(await statusOf('PATCH', '/api/tasks', list), 200)
    equal((await send(api, 'GET', '/api/tasks/1')).body.value.title, 'e')
  })

  test('is refused if it changes', async () => {
    equal(await statusOf('PATCH', '/api/tasks/1', { project_id: 30 }), 422)
    equal(await statusOf('PATCH', '/api/tasks/2', { project_id: 20 }), 422)
    equal(await statusOf('PUT', '/api/tasks/1', { title: 'g', project_id: 30 }), 422)
    equal(await statusOf('PATCH', '/api/tasks', [{ id: 2, project_id: 20 }]), 422)
    equal(await statusOf('POST', '/api/tasks', { id: 3, title: 'h', project_id: 20 }), 422)
  })
})
