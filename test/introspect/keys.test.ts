/** Keys that introspect finds or is given, for tables without a primary key and for views; without a key they are lists. */
import type { AnyModel } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { get, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const script = `
create table writers (id {id}, name varchar(80) not null);
create table books (id {id}, isbn varchar(20) not null unique, title varchar(80) not null, writer_id integer,
  price decimal(8, 2), foreign key (writer_id) references writers (id));

create table codes (label varchar(20), code varchar(8) not null, constraint codes_code unique (code));
create table seats (hall varchar(8) not null, seat integer not null, price integer,
  constraint seats_place unique (hall, seat));
create table doors (serial varchar(20) not null, wing varchar(8) not null, no integer not null,
  constraint a_place unique (wing, no), constraint z_serial unique (serial));
create table maybes (code varchar(8) unique, note varchar(20));
create table shelves (id {id}, book_id integer, writer_id integer, other_id integer,
  foreign key (book_id) references books (id) on delete cascade,
  foreign key (writer_id) references writers (id) on delete set null,
  foreign key (other_id) references writers (id) on delete no action);
create table pins (label varchar(8) not null, api_key varchar(80) not null unique);
create table clicks (writer_id integer, page varchar(20) not null, foreign key (writer_id) references writers (id));

create view book_list as select id, title as name, writer_id, price from books;
create view cheap_books as select b.name, b.id as number from book_list b where b.price < 10 order by b.name;
create view all_books as select * from books;
create view isbns as select isbn, title from books;
create view titles as select title, upper(title) as loud from books;
create view wrong_ids as select writer_id as id, id as writer_id from books where writer_id is not null;
create view firsts as select distinct writer_id from books;
create view by_writer as select writer_id, count(*) as books, sum(price) as price from books group by writer_id;
create view with_writer as select b.id, b.title, w.name from books b join writers w on w.id = b.writer_id;
create view a_union as select id, title from books where id = 1 union all select id, name from writers where id = 1;
create view seat_list as select seat, hall, price from seats;
create table gone (id {id});
create view broken as select id from gone;
drop table gone;
`

const rows = `
insert into writers (id, name) values (1, 'Ann'), (2, 'Ben');
insert into books (id, isbn, title, writer_id, price) values (1, 'a', 'One', 1, 5), (2, 'b', 'Two', 1, 20), (3, 'c', 'Three', null, 7.5);
insert into codes values ('x', 'X'), (null, 'Y');
insert into seats values ('A', 1, 5), ('A', 2, 5), ('B', 1, 7);
insert into doors values ('s1', 'N', 1);
insert into maybes values (null, 'p'), (null, 'p'), ('c', 'q');
insert into pins values ('1', 'k');
insert into clicks values (1, '/'), (1, '/'), (null, '/x');
`

const keyOf = (model: AnyModel | undefined): string[] =>
  Object.entries(model?.columns ?? {}).flatMap(([name, { primaryKey }]) =>
    primaryKey === true ? [name] : [],
  )

eachDatabase('keys of introspect', (test, db) => {
  let found: Introspection
  const modelOf = ({ models }: Introspection, table: string): AnyModel | undefined =>
    models.find((one) => one.table === table)
  const key = (table: string): string => keyOf(modelOf(found, table)).join()
  /** The key of a table without any other. */
  const byRowId = db.name === 'sqlite' ? 'rowid' : ''
  const reasons = (list: Introspection['leftOut']): readonly string[] =>
    list.map(({ table, reason }) => `${table}: ${reason}`)
  test.before(async () => {
    // PostgreSQL does not drop a table that a view reads, except with CASCADE.
    const drop = db.name === 'postgres' ? 'drop table gone cascade' : 'drop table gone'
    await createTables(db, script.replace('drop table gone', drop))
    await db.execScript(rows)
    found = await introspect(db.kysely)
  })

  test('what foreign keys do on DELETE, which the models leave to on_delete', () => {
    equal(found.deletes, [
      { model: 'Book', relation: 'shelves', rule: 'cascade' },
      { model: 'Writer', relation: 'shelves_by_writer', rule: 'set null' },
    ])
    const relations = found.models.flatMap((model) => Object.values(model.relations))
    equal(
      relations.some((relation) => 'on_delete' in relation),
      false,
    )
  })

  test('a unique index without NULL is the key; of several, the shortest', () => {
    equal(key('codes'), 'code')
    equal(key('seats'), 'hall,seat')
    equal(key('doors'), 'serial')
    equal(modelOf(found, 'doors')?.unique, [['wing', 'no']])
    equal(modelOf(found, 'codes')?.readOnly, undefined)
    equal(key('books'), 'id')
  })

  test('an index with NULL or on credentials is not a key', () => {
    equal(key('maybes'), byRowId)
    equal(modelOf(found, 'maybes')?.columns.code?.unique, true)
    equal(key('pins'), byRowId)
  })

  test('a view of one table has the key of the table if it selects it', () => {
    equal(key('book_list'), 'id')
    equal(key('cheap_books'), 'number')
    equal(key('all_books'), 'id')
    equal(key('isbns'), 'isbn')
    equal(key('seat_list'), 'seat,hall')
    equal(key('wrong_ids'), 'writer_id')
    for (const table of ['titles', 'firsts', 'by_writer', 'with_writer', 'a_union']) {
      equal([table, key(table)], [table, ''])
    }
    equal(
      found.models.filter(({ readOnly }) => readOnly !== true).map(({ table }) => table),
      ['books', 'codes', 'doors', 'seats', 'shelves', 'writers'],
    )
  })

  test('columns of views are nullable as in the table', () => {
    const { id, name, writer_id } = modelOf(found, 'book_list')?.columns ?? {}
    equal([id?.nullable, name?.nullable, writer_id?.nullable], [undefined, undefined, true])
  })

  test('a table or view without a key is reported, and a key that was found is noted', () => {
    const lists = [
      'a_union: a view without a key',
      'by_writer: a view without a key',
      'clicks: a table without a key',
      'firsts: a view without a key',
      'maybes: a table without a key',
      'pins: a table without a key',
      'titles: a view without a key',
      'with_writer: a view without a key',
    ]
    const isList = (line: string): boolean => byRowId === '' || line.includes('a view')
    equal(reasons(found.listOnly), lists.filter(isList))
    const noteOf = (table: string) =>
      found.notes.find((one) => one.table === table && one.column === undefined)?.note
    equal(noteOf('cheap_books'), 'a view; its key is that of book_list')
    equal(noteOf('isbns'), 'a view; its key is (isbn), a unique index')
    equal(noteOf('seats'), 'its key is (hall, seat), a unique index')
  })

  test('a view whose table was dropped is left out, and does not affect others', () => {
    if (db.name === 'postgres') return equal(found.leftOut, [])
    const [broken, ...others] = found.leftOut
    equal([broken?.table, others], ['broken', []])
    match(broken?.reason ?? '', /cannot be read/)
  })

  test('foreign keys of the table are relations of its views, and lists have relations', () => {
    const relations = (table: string) =>
      Object.entries(modelOf(found, table)?.relations ?? {}).map(
        ([name, { kind, target }]) => `${name}: ${kind} ${target}`,
      )
    equal(relations('book_list'), ['writer: belongsTo Writer'])
    equal(relations('clicks'), ['writer: belongsTo Writer'])
    ok(relations('writers').includes('clicks: hasMany Click'))
    ok(relations('writers').includes('book_lists: hasMany BookList'))
    equal(relations('by_writer'), [])
  })

  test('everything is served, row by row', async () => {
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    const api = testApi(db, models, { API_ALLOWED_METHODS: ['GET'] })
    for (const { paths, table, primaryKey } of api.registry.resources) {
      const { status, total, value } = await get(api, `/api/${paths[0]}?dump_relationships=false`)
      const [count] = await db.kysely
        .selectFrom(table as never)
        .select(({ fn }) => fn.countAll().as('n') as never)
        .execute()
      equal([table, status, total], [table, 200, Number((count as { n: unknown }).n)])
      if (primaryKey.length === 0 || value.length === 0) continue
      const own = primaryKey.map(({ name }) => value[0][name]).join(',')
      equal((await get(api, `/api/${paths[0]}/${own}?dump_relationships=false`)).value, value[0])
    }
    equal((await get(api, '/api/writers/1/clicks')).total, 2)
  })

  test('a key may be configured', async () => {
    const keys = { by_writer: ['writer_id'], with_writer: ['title', 'id'], codes: ['label'] }
    const { codes: _, ...usable } = keys
    const some = await introspect(db.kysely, { keys: { ...usable, clicks: ['page'] } })
    equal(keyOf(modelOf(some, 'by_writer')), ['writer_id'])
    equal(modelOf(some, 'by_writer')?.columns.writer_id?.nullable, undefined)
    equal(keyOf(modelOf(some, 'with_writer')), ['id', 'title'])
    equal(modelOf(some, 'with_writer')?.readOnly, true)
    equal(keyOf(modelOf(some, 'clicks')), ['page'])
    equal(modelOf(some, 'clicks')?.readOnly, undefined)
    ok(!some.listOnly.some(({ table }) => table === 'by_writer'))
    const noted = some.notes.filter(({ table }) => table === 'by_writer')
    equal(noted[0]?.note, 'its key is (writer_id), as given')
  })

  test('an impossible key is refused', async () => {
    const refusal = (keys: Record<string, readonly string[]>): Promise<string> =>
      introspect(db.kysely, { keys }).then(
        () => 'none',
        (error: Error) => error.message,
      )
    equal(
      await refusal({ by_writr: ['id'] }),
      'keys: there is no table "by_writr". Did you mean "by_writer"?',
    )
    equal(
      await refusal({ by_writer: ['writerid'] }),
      'key of by_writer: there is no column "writerid". Did you mean "writer_id"?',
    )
    equal(await refusal({ books: ['isbn'] }), 'key of books: it has the primary key (id).')
    equal(await refusal({ titles: [] }), 'key of titles: expected columns, such as title.')
  })
})

const junctions = `
create table posts (id {id}, title varchar(40) not null);
create table tags (id {id}, name varchar(40) not null);
create table people (id {id}, name varchar(40) not null);

create table posts_tags (post_id integer not null, tag_id integer not null,
  foreign key (post_id) references posts (id), foreign key (tag_id) references tags (id));
create table likes (post_id integer not null, person_id integer not null,
  constraint likes_once unique (post_id, person_id),
  foreign key (post_id) references posts (id), foreign key (person_id) references people (id));
create table skills (id {id}, person_id integer not null, tag_id integer not null, level integer not null,
  endorsed_by integer, constraint skills_once unique (person_id, tag_id),
  foreign key (person_id) references people (id), foreign key (tag_id) references tags (id),
  foreign key (endorsed_by) references people (id));
create table follows (person_id integer, tag_id integer,
  foreign key (person_id) references people (id), foreign key (tag_id) references tags (id));
create view tag_pairs as select post_id, tag_id from posts_tags;
`

eachDatabase('junctions of introspect', (test, db) => {
  let found: Introspection
  test.before(async () => {
    await createTables(db, junctions)
    await db.execScript(`insert into posts (id, title) values (1, 'p');
      insert into tags (id, name) values (1, 's'), (2, 't'); insert into people (id, name) values (1, 'a');
      insert into posts_tags values (1, 1), (1, 2); insert into likes values (1, 1);
      insert into skills (id, person_id, tag_id, level) values (5, 1, 2, 3);
      insert into follows values (1, 1), (1, null);`)
    found = await introspect(db.kysely)
  })
  const across = (name: string): string[] =>
    Object.entries(found.models.find((model) => model.name === name)?.relations ?? {}).flatMap(
      ([relation, { kind, target }]) => (kind === 'manyToMany' ? [`${relation} ${target}`] : []),
    )

  test('may have no primary key, only a unique index, and further required columns', () => {
    equal(across('Post').sort(), ['people Person', 'tags Tag'])
    equal(across('Person').sort(), ['posts Post', 'tags Tag'])
    equal(across('Tag').sort(), ['people Person', 'posts Post'])
  })

  test('say that pairs may repeat if no key prevents it', () => {
    const repeating = found.models.flatMap(({ name, relations }) =>
      Object.entries(relations).flatMap(([relation, declared]) =>
        'repeats' in declared ? [`${name}.${relation} ${declared.repeats}`] : [],
      ),
    )
    equal(repeating.sort(), ['Post.tags true', 'Tag.posts true'])
  })

  test('a table that may hold NULL or the same pair twice is a list, unless it is nothing but pairs', () => {
    equal(
      found.leftOut.map(({ table }) => table),
      ['likes', 'posts_tags'],
    )
    equal(
      found.listOnly.map(({ table }) => table),
      db.name === 'sqlite' ? ['tag_pairs'] : ['follows', 'tag_pairs'],
    )
  })

  test('are read the same on all databases', async () => {
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    const api = testApi(db, models)
    const names = async (path: string): Promise<string[]> =>
      (await get(api, path)).value.map((row: { name: string }) => row.name)
    equal(await names('/api/posts/1/tags'), ['s', 't'])
    equal(await names('/api/posts/1/people'), ['a'])
    equal(await names('/api/people/1/tags'), ['t'])
    equal((await get(api, '/api/follows')).total, 2)
  })
})

eachDatabase(
  'objects that only PostgreSQL has',
  (test, db) => {
    let found: Introspection
    test.before(async () => {
      await db.execScript(`
      create table sales (id integer primary key, region text not null, amount numeric(8,2), key integer);
      insert into sales values (1, 'north', 5), (2, 'north', 7), (3, 'south', 1);
      create materialized view regions as select region, sum(amount) as amount from sales group by region;
      create unique index on regions (region);
      create materialized view halves as select nullif(region, 'south') as region from sales where id > 1;
      create unique index on halves (region);
      create materialized view later as select 1 as id with no data;
      create view three_times as select id, generate_series(1, 3) as n from sales;
      create table readings (at date, id integer, value integer, primary key (id, at)) partition by range (at);
      create table readings_2024 partition of readings for values from ('2024-01-01') to ('2025-01-01');
      insert into readings values ('2024-05-01', 1, 9);
      create schema beside;
      create table beside.sales (id integer, key integer primary key);
      create view beside.listed as select id, key from public.sales;
      create view beside.own as select id, key from beside.sales;
      create extension postgres_fdw;
      create server loop foreign data wrapper postgres_fdw options
        (host '127.0.0.1', port '${new URL(db.url ?? '').port || 5432}', dbname '${new URL(db.url ?? '').pathname.slice(1)}');
      create user mapping for current_user server loop options (user 'postgres');
      create foreign table far_sales (id integer not null, region text) server loop options (table_name 'sales');
      create server nowhere foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1');
      create foreign table lost (id integer) server nowhere;`)
      found = await introspect(db.kysely)
    })
    const key = (table: string, from = found): string | undefined => {
      const model = from.models.find((one) => one.table === table)
      return model && keyOf(model).join()
    }

    test('the key of a materialised view is a unique index without NULL', () => {
      equal([key('regions'), key('halves')], ['region', ''])
    })

    test('a set-returning function leaves a view without a key', () =>
      equal(key('three_times'), ''))

    test('a partitioned table is served, its partitions are not', () => {
      equal(key('readings'), 'at,id')
      equal(
        found.leftOut.map(({ table, reason }) => `${table}: ${reason}`),
        [
          'later: a materialised view that was never refreshed, so it cannot be read',
          'readings_2024: a partition of another table',
        ],
      )
    })

    test('a foreign table is a list, and has records with a configured key', async () => {
      equal(key('far_sales'), '')
      const { models } = await introspect(db.kysely, {
        keys: { far_sales: ['id'] },
        except: ['lost'],
      })
      const api = testApi(
        db,
        models.map((model) => ({ ...model, meta: {} })),
      )
      equal((await get(api, '/api/far-sales/2')).value, { id: 2, region: 'north' })
      equal((await get(api, '/api/regions/north')).value, { region: 'north', amount: '12.00' })
      equal((await get(api, '/api/readings/2024-05-01,1')).value.value, 9)
    })

    test('a view of a table in another schema does not get the key of a table with the same name', async () => {
      const beside = await introspect(db.kysely, { schema: 'beside' })
      equal([key('listed', beside), key('own', beside)], ['', 'key'])
    })
  },
  { only: 'postgres' },
)

eachDatabase('names that differ by case only', (test, db) => {
  // SQLite has no such names.
  if (db.name === 'sqlite') {
    test('are not possible', async () => {
      await db.execScript('create table "Users" (id integer primary key)')
      const refusal = db
        .execScript('create table "users" (id integer primary key)')
        .catch(() => 'refused')
      equal(await refusal, 'refused')
    })
    return
  }
  test('are different names', async () => {
    const columns =
      db.name === 'postgres' ? '"Name" varchar(20), "name" integer' : '"name" varchar(20)'
    const script = `
      create table "Users" (id integer primary key, ${columns});
      create table "users" (id bigint primary key, age integer);
      create table posts (id integer primary key, user_id integer, old_id bigint,
        foreign key (user_id) references "Users" (id), foreign key (old_id) references "users" (id));
      insert into "Users" (id) values (1); insert into "users" values (1, 5), (2, 6);
      insert into posts values (1, 1, 2);`
    await db.execScript(db.name === 'mysql' ? script.replaceAll('"', '`') : script)
    const { models, leftOut } = await introspect(db.kysely)
    equal(leftOut, [])
    equal(models.map(({ name, table }) => `${name} ${table}`).sort(), [
      'Post posts',
      'User Users',
      'User2 users',
    ])
    const columnsOf = (name: string): readonly string[] =>
      Object.entries(models.find((one) => one.name === name)?.columns ?? {}).map(
        ([field, { type }]) => `${field} ${type}`,
      )
    equal(
      columnsOf('User'),
      db.name === 'postgres'
        ? ['id integer', 'Name string', 'name integer']
        : ['id integer', 'name string'],
    )
    equal(columnsOf('User2'), ['id bigint', 'age integer'])
    equal(columnsOf('Post'), ['id integer', 'user_id integer', 'old_id bigint'])
    const api = testApi(
      db,
      models.map((model) => ({ ...model, meta: {} })),
    )
    equal((await get(api, '/api/users')).total, 1)
    equal((await get(api, '/api/user2s')).total, 2)
    const [post] = (await get(api, '/api/posts?dump=json')).value
    equal([post.user.id, post.old.id], [1, '2'])
  })
})
