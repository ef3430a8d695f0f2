/** Views whose triggers store their rows take writes on SQLite and PostgreSQL, also if the database generates the key. */
import { type AnyModel, defineModel } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const name = { type: 'string', maxLength: 20 } as const
const Task = defineModel('Task', {
  table: 'open_tasks',
  columns: { id: { type: 'integer', primaryKey: true, generated: true }, name },
  meta: {},
})
const Word = defineModel('Word', {
  columns: { word: { ...name, primaryKey: true }, name },
  meta: {},
})
const config = { API_ALLOW_BULK: true, API_ALLOW_BATCH: true } as const

/** The view shows no task that is named "hidden", and its trigger stores none that is named "skip", and two of "twice". */
const schema = {
  sqlite: `
    create table tasks (id integer primary key, name varchar(20) not null unique);
    create view open_tasks as select id, name from tasks where name <> 'hidden';
    create trigger added instead of insert on open_tasks begin
      insert into tasks (id, name) select new.id, new.name where new.name <> 'skip';
      insert into tasks (name) select 'again' where new.name = 'twice'; end;
    create trigger changed instead of update on open_tasks begin update tasks set name = new.name where id = old.id; end;
    create trigger removed instead of delete on open_tasks begin delete from tasks where id = old.id; end;
    create table all_words (word varchar(20) primary key, name varchar(20));
    create view words as select word, name from all_words;
    create trigger word_added instead of insert on words begin insert into all_words values (new.word, new.name); end;`,
  postgres: `
    create table tasks (id serial primary key, name varchar(20) not null unique);
    create view open_tasks as select id, name from tasks where name <> 'hidden';
    create function tasks_stored() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        if new.name in ('skip', 'hidden', 'twice') then return null; end if;
        insert into tasks (name) values (new.name) returning id into new.id; return new;
      elsif tg_op = 'UPDATE' then update tasks set name = new.name where id = old.id; return new;
      else delete from tasks where id = old.id; return old; end if; end $$;
    create trigger stored instead of insert or update or delete on open_tasks for each row execute function tasks_stored();
    create table all_words (word varchar(20) primary key, name varchar(20));
    create view words as select word, name from all_words;`,
  mysql: '',
}

eachDatabase('views with INSTEAD OF triggers', (test, db) => {
  // MySQL and MariaDB have no such triggers.
  const has = db.name !== 'mysql'
  const api = testApi(db, [Task, Word] as readonly AnyModel[], config)
  test.before(async () => {
    if (has) await db.execScript(schema[db.name])
  })
  const verdict = ({ status, value, errors }: Answer): readonly unknown[] => [
    status,
    errors?.code ?? value,
  ]
  const request = async (
    method: string,
    url: string,
    body?: unknown,
  ): Promise<readonly unknown[]> =>
    verdict(await send(api, method, url, body === undefined ? {} : { body }))

  test('take new records, lists and batches', async () => {
    if (!has) return
    equal(await request('POST', '/api/tasks', { name: 'a' }), [201, { id: 1, name: 'a' }])
    equal(await request('POST', '/api/tasks', [{ name: 'b' }, { name: 'c' }]), [
      201,
      [
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
    ])
    const operations = [
      { id: 'o', method: 'POST', url: '/api/tasks', body: { name: 'd' } },
      { id: 'p', method: 'PATCH', url: '/api/tasks/1', body: { name: { $ref: 'o.name' } } },
    ]
    const refused = await send(api, 'POST', '/api/batch', { body: { operations } })
    equal([refused.status, refused.errors?.at], [409, 'operations[1]'])
    equal(await request('PATCH', '/api/tasks/3', { name: 'z' }), [200, { id: 3, name: 'z' }])
    equal(await request('DELETE', '/api/tasks/2'), [200, null])
    equal(await request('POST', '/api/words', { word: 'w', name: 'x' }), [
      201,
      { word: 'w', name: 'x' },
    ])
  })

  test('refuse what they do not show afterwards, and store nothing of it', async () => {
    if (!has) return
    const count = async (): Promise<number> =>
      (await db.kysely.selectFrom('tasks').selectAll().execute()).length
    const before = await count()
    for (const one of ['skip', 'hidden', 'twice']) {
      equal(await request('POST', '/api/tasks', { name: one }), [422, 'refused_by_database'], one)
      equal(await request('POST', '/api/tasks', [{ name: 'q' }, { name: one }]), [
        422,
        'refused_by_database',
      ])
    }
    equal(await count(), before)
  })
})
