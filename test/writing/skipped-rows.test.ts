/**
 * A trigger skips a row without an error: a new record is refused, in a list with its place. A change, or a removal, that the trigger does not
 * make is no error: the response of a change shows what is stored.
 */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const name = { type: 'string', maxLength: 40 } as const
const Shelf = defineModel('Shelf', {
  columns: { id: { type: 'integer', primaryKey: true, generated: true }, name },
  relations: { things: hasMany('Thing', 'shelf_id') },
  meta: {},
})
const Thing = defineModel('Thing', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name,
    shelf_id: { type: 'integer', nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_id') },
  meta: {},
})
const Word = defineModel('Word', {
  columns: { word: { ...name, primaryKey: true }, name },
  meta: {},
})
const models: readonly AnyModel[] = [Shelf, Thing, Word]
const config = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
} as const

eachDatabase('rows that a trigger skips', (test, db) => {
  const api = testApi(db, models, config)
  // No trigger of MySQL and MariaDB can skip a row.
  const skips = db.name !== 'mysql'
  test.before(async () => {
    if (!skips) return
    const key = db.name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    await db.execScript(`
      create table shelves (id ${key}, name varchar(40) not null);
      create table things (id ${key}, name varchar(40) not null, shelf_id integer);
      create table words (word varchar(40) primary key, name varchar(40) not null);`)
    if (db.name === 'postgres') {
      await db.execScript(`
        create function skip() returns trigger language plpgsql as $$ begin
          if tg_op = 'DELETE' then return null; end if;
          if new.name = 'skip' then return null; end if;
          return new; end $$;
        create table words_of_a (check (word like 'a%')) inherits (words);
        create function place() returns trigger language plpgsql as $$ begin
          if new.word like 'a%' then insert into words_of_a values (new.*); return null; end if;
          return new; end $$;
        create trigger place before insert on words for each row execute function place();`)
    }
    for (const table of ['things', 'words']) {
      await db.execScript(
        db.name === 'postgres'
          ? `create trigger skip before insert or update or delete on ${table} for each row execute function skip()`
          : `create trigger skip_i_${table} before insert on ${table} when new.name = 'skip' begin select raise(ignore); end;
             create trigger skip_u_${table} before update on ${table} when new.name = 'skip' begin select raise(ignore); end;
             create trigger skip_d_${table} before delete on ${table} begin select raise(ignore); end;`,
      )
    }
    await db.execScript(
      `insert into things (name) values ('first'); insert into words values ('one', 'first')`,
    )
  })
  const things = async (): Promise<unknown> =>
    (await db.kysely.selectFrom('things').select('name').execute()).map((row) => row.name)
  const words = async (): Promise<unknown> =>
    (await db.kysely.selectFrom('words').select('word').orderBy('word').execute()).map(
      (row) => row.word,
    )
  const request = async (
    method: string,
    url: string,
    body?: unknown,
  ): Promise<readonly unknown[]> => {
    const { status, errors, value } = await send(
      api,
      method,
      url,
      body === undefined ? {} : { body },
    )
    return errors === undefined || errors === null
      ? [status, value]
      : [status, errors.code, errors.reason, errors.at]
  }
  const rule = 'A rule of the database refuses this change.'

  test('are no new records', async () => {
    if (!skips) return
    const refused = (reason: unknown, at?: string) => [422, 'refused_by_database', reason, at]
    const skip = { name: 'skip' }
    equal(await request('POST', '/api/things', skip), refused(rule))
    equal(
      await request('POST', '/api/things', [{ name: 'a' }, skip, { name: 'b' }]),
      refused({ '[1]': [rule] }),
    )
    equal(await request('POST', '/api/words', { word: 'x', ...skip }), refused(rule))
    equal(
      await request('POST', '/api/words', [
        { word: 'w', name: 'w' },
        { word: 'x', ...skip },
      ]),
      refused({ '[1]': [rule] }),
    )
    equal(
      await request('POST', '/api/shelves', { name: 'top', things: [{ name: 'a' }, skip] }),
      refused(rule),
    )
    const operations = [
      { id: 'a', method: 'POST', url: '/api/things', body: { name: 'a' } },
      { id: 'b', method: 'POST', url: '/api/things', body: skip },
    ]
    for (const dry_run of [false, true]) {
      equal(
        await request('POST', '/api/batch', { operations, dry_run }),
        refused(rule, 'operations[1]'),
      )
    }
    equal([await things(), await words()], [['first'], ['one']])
  })

  test('keep what is stored', async () => {
    if (!skips) return
    equal(await request('PATCH', '/api/things/1', { name: 'skip' }), [
      200,
      { id: 1, name: 'first', shelf: null, shelf_id: null },
    ])
    equal((await request('DELETE', '/api/things/1'))[0], 200)
    equal(await things(), ['first'])
  })

  test('may be stored by the trigger in another table', async () => {
    if (db.name !== 'postgres') return
    equal((await request('POST', '/api/words', { word: 'ab', name: 'x' }))[0], 201)
    const list = [{ word: 'ac', name: 'x' }, { word: 'b', name: 'x' }] // biome-ignore format: short
    equal((await request('POST', '/api/words', list))[0], 201)
    equal(await words(), ['ab', 'ac', 'b', 'one'])
  })
})
