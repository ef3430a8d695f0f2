/**
 * On PostgreSQL, lists whose keys a function makes stored the key `null` where it returned NULL, were refused where it counts the rows of
 * the table, answered with nulls where a trigger sets the key, and were 500 where it raised an error; a function in a schema that the role
 * may not use hid what the API knows about all columns.
 */
import { defineModel } from '@model-api/core'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, type Test } from '../support/suite.ts'

const model = (name: string) =>
  defineModel(name, {
    columns: {
      id: { type: 'string', maxLength: 40, primaryKey: true, hasDefault: true },
      title: { type: 'string', maxLength: 20 },
    },
    meta: {},
  })

const body = [{ title: 'a' }, { title: 'b' }, { title: 'c' }]

const post = (db: TestDatabase, name: string) => {
  const api = testApi(db, [model(name)], { API_ALLOW_BULK: true })
  return db.capture(() => send(api, 'POST', `/api/${name.toLowerCase()}s`, { body }))
}

const inserts = (statements: readonly { readonly sql: string }[]): number =>
  statements.filter(({ sql }) => sql.startsWith('insert')).length

const ofKeys = (test: Test, db: TestDatabase): void => {
  const table = (name: string, call: string): string =>
    `create table ${name} (id varchar(40) primary key default ${call}, title varchar(20) not null)`

  test('that returns NULL is refused, as for a single record', async () => {
    await db.execScript(`create function no_key() returns text language sql as 'select null::text';
      ${table('blanks', 'no_key()')}`)
    const { result } = await post(db, 'Blank')
    equal([result.status, result.errors.reason], [422, { '[0].id': ['A value is needed here.'] }])
  })

  test('may count the rows of the table', async () => {
    await db.execScript(`create table counteds (id varchar(40) primary key, title varchar(20) not null);
      create function next_code() returns text language sql as $$ select 'C' || (count(*) + 1) from counteds $$;
      alter table counteds alter id set default next_code()`)
    const { result } = await post(db, 'Counted')
    equal(
      result.value,
      body.map(({ title }, i) => ({ id: `C${i + 1}`, title })),
    )
  })

  test('may raise an error, which the client gets', async () => {
    await db.execScript(`create function refuses() returns text language plpgsql as
        $$ begin raise exception 'no more keys' using errcode = '23514'; end $$;
      ${table('refuseds', 'refuses()')}`)
    const { result } = await post(db, 'Refused')
    equal([result.status, result.errors.code], [422, 'check_violation'])
  })

  test('may have an overload', async () => {
    await db.execScript(`create function made(a int) returns text language sql as $$ select 'one' $$;
      create function made() returns text language sql as $$ select 'k' || random() $$;
      ${table('overloadeds', 'made()')}`)
    const { result, statements } = await post(db, 'Overloaded')
    equal([result.status, inserts(statements)], [201, 1])
  })

  for (const [name, set] of [
    ['Triggered', `new.id := 'own ' || new.title`],
    ['Rowed', `select cast('own ' || new.title as varchar(40)), new.title into new`],
  ] as const) {
    test(`gives way to a trigger: ${set}`, async () => {
      await db.execScript(`${table(`${name.toLowerCase()}s`, 'gen_random_uuid()::text')};
        create function ${name}_key() returns trigger language plpgsql as $$ begin ${set}; return new; end $$;
        create trigger of_keys before insert on ${name}s for each row execute function ${name}_key()`)
      const { result } = await post(db, name)
      equal(
        result.value,
        body.map(({ title }) => ({ id: `own ${title}`, title })),
      )
    })
  }

  test('is called beside a trigger that sets another column', async () => {
    await db.execScript(`${table('besides', 'gen_random_uuid()::text')};
      create function set_title() returns trigger language plpgsql as $$ begin new.title := upper(new.title); return new; end $$;
      create trigger titles before insert on besides for each row execute function set_title()`)
    const { result, statements } = await post(db, 'Beside')
    equal(
      result.value.map(({ title }: { title: string }) => title),
      ['A', 'B', 'C'],
    )
    equal(inserts(statements), 1)
  })

  test('need not be callable by name, and the key need not be writable', async () => {
    const role = `role_of_${new URL(String(db.url)).pathname.slice(1)}`
    await db.execScript(`create role "${role}" login; create schema closed;
      create function closed.made() returns text language sql as $$ select 'k' || random() $$;
      create function open_made() returns text language sql as $$ select 'k' || random() $$;
      ${table('closeds', 'closed.made()')}; ${table('partials', 'open_made()')}; ${table('opens', 'open_made()')};
      grant select, insert on closeds, opens to "${role}"; grant select, insert (title) on partials to "${role}"`)
    const url = new URL(String(db.url))
    url.username = role
    const pool = new pg.Pool({ connectionString: url.href, max: 2 })
    const asked: string[] = []
    const kysely = new Kysely<Record<string, never>>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void asked.push(query.sql),
    })
    try {
      const models = ['Closed', 'Partial', 'Open'].map(model)
      const api = testApi({ ...db, kysely }, models, { API_ALLOW_BULK: true })
      const numbers: number[][] = []
      for (const path of ['closeds', 'partials', 'opens']) {
        asked.length = 0
        const { status } = await send(api, 'POST', `/api/${path}`, { body })
        numbers.push([status, asked.filter((sql) => sql.startsWith('insert')).length])
      }
      // Only for `opens` may the role do what the single INSERT needs.
      equal(numbers, [
        [201, 3],
        [201, 3],
        [201, 1],
      ])
    } finally {
      await kysely.destroy()
      await db.execScript(`drop owned by "${role}"; drop role "${role}"`)
    }
  })
}

eachDatabase('a function that makes keys', ofKeys, { only: 'postgres' })
