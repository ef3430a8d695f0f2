/** Introspection includes every column type and every kind of table, except those that docs/reference/model-options.md names. */
import { readFileSync } from 'node:fs'
import { introspect } from '@model-api/core/introspect'
import { sql } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const page = readFileSync(new URL('../../docs/reference/model-options.md', import.meta.url), 'utf8')
const section = /## What is left out of an existing database\n[\s\S]*$/.exec(page)?.[0] ?? ''
/** The reasons that the documentation gives for a database, as patterns. */
const documented = (database: string): readonly RegExp[] =>
  section
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , where = '']) => where === 'all' || where.includes(database))
    .flatMap(([, reasons = '']) => [...reasons.matchAll(/`([^`]+)`/g)])
    .map(([, reason = '']) => new RegExp(`^${reason.replaceAll('…', '.+')}`))

/** Types, each with a literal of that type. */
type Types = Readonly<Record<string, string>>

const sqliteTypes: Types = {
  int: '1',
  integer: '2',
  tinyint: '3',
  bigint: '4',
  'unsigned big int': '5',
  boolean: '1',
  bit: '1',
  'varchar(9)': "'a'",
  'native character(70)': "'b'",
  clob: "'c'",
  text: "'d'",
  blob: "x'00ff'",
  '': "'e'",
  real: '1.5',
  'double precision': '2.5',
  numeric: '3.5',
  'decimal(10,2)': '4.5',
  'decimal(30,10)': '5.5',
  money: '6.5',
  date: "'2024-05-14'",
  datetime: "'2024-05-14 10:30:00'",
  timestamp: "'2024-05-14 10:30:00'",
  time: "'10:30:00'",
  uuid: "'7d444840-9dc0-11d1-b245-5ffdce74fad2'",
  json: `'{"a":1}'`,
  'no type we know': 'null',
}

/** The test covers every type that a column of PostgreSQL can have; these also have a value. */
const postgresTypes: Types = {
  int2: '1',
  int4: '2',
  int8: '3',
  float4: '1.5',
  float8: '2.5',
  numeric: '3.5',
  money: '4.5',
  bool: 'true',
  bit: "b'1'",
  varbit: "b'101'",
  bpchar: "'a'",
  varchar: "'b'",
  text: "'c'",
  name: "'d'",
  bytea: "'\\x00ff'",
  date: "'2024-05-14'",
  time: "'10:30'",
  timetz: "'10:30+02'",
  timestamp: "'2024-05-14 10:30'",
  timestamptz: "'2024-05-14 10:30+02'",
  interval: "'1 day 2 hours'",
  uuid: "'7d444840-9dc0-11d1-b245-5ffdce74fad2'",
  json: `'{"a":1}'`,
  jsonb: `'{"a":1}'`,
  jsonpath: "'$.a'",
  xml: "'<a/>'",
  inet: "'10.0.0.1'",
  cidr: "'10.0.0.0/8'",
  macaddr: "'08:00:2b:01:02:03'",
  point: "'(1,2)'",
  box: "'(1,2),(0,0)'",
  circle: "'<(1,2),3>'",
  polygon: "'((1,2),(3,4))'",
  tsvector: "'a b'",
  tsquery: "'a & b'",
  int4range: "'[1,5)'",
  int4multirange: "'{[1,5)}'",
  daterange: "'[2024-01-01,)'",
  oid: '7',
  regclass: "'pg_class'",
  pg_lsn: "'1/2'",
  _int4: "'{1,2}'",
  _text: "'{a,NULL}'",
  _jsonb: `'{"{\\"a\\":1}"}'`,
  _inet: "'{10.0.0.1}'",
  _interval: "'{1 day}'",
}

const mysqlTypes: Types = {
  tinyint: '1',
  'tinyint(1)': '1',
  'tinyint unsigned': '2',
  smallint: '3',
  mediumint: '4',
  int: '5',
  'int unsigned': '6',
  bigint: '7',
  'bigint unsigned': '8',
  'decimal(10,2)': '1.5',
  float: '2.5',
  double: '3.5',
  'bit(1)': "b'1'",
  'bit(9)': "b'101'",
  'char(3)': "'a'",
  'varchar(9)': "'b'",
  tinytext: "'c'",
  text: "'d'",
  mediumtext: "'e'",
  longtext: "'f'",
  'binary(2)': "x'00ff'",
  'varbinary(9)': "x'00ff'",
  tinyblob: "x'00ff'",
  blob: "x'00ff'",
  mediumblob: "x'00ff'",
  longblob: "x'00ff'",
  "enum('a','b')": "'a'",
  "set('a','b')": "'a,b'",
  date: "'2024-05-14'",
  datetime: "'2024-05-14 10:30:00'",
  'timestamp null': "'2024-05-14 10:30:00'",
  time: "'10:30:00'",
  year: '2024',
  json: `'{"a":1}'`,
  geometry: "st_geomfromtext('POINT(1 2)')",
  point: "st_geomfromtext('POINT(1 2)')",
  linestring: "st_geomfromtext('LINESTRING(1 2,3 4)')",
  polygon: "st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))')",
  multipoint: "st_geomfromtext('MULTIPOINT(1 2)')",
  multilinestring: "st_geomfromtext('MULTILINESTRING((1 2,3 4))')",
  multipolygon: "st_geomfromtext('MULTIPOLYGON(((0 0,1 0,1 1,0 0)))')",
  geometrycollection: "st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 2))')",
}

const objects = {
  sqlite: `
    create table "words" (id integer primary key, word text) strict;
    create table pairs (a text, b text, primary key (a, b)) without rowid;
    create view long_words as select * from "words";
    create view broken as select * from gone;
    create virtual table found using fts5(body);
    create virtual table areas using rtree(id, low, high);
    create temp table passing (id integer);`,
  postgres: `
    create table "words" (id integer primary key, word text);
    create unlogged table fast_words (id integer primary key);
    create table elders (word text); create table heirs (more text) inherits (elders);
    create table days (day date not null) partition by range (day);
    create table days_2024 partition of days for values from ('2024-01-01') to ('2025-01-01');
    create view long_words as select * from "words";
    create materialized view seen_words as select * from "words";
    create materialized view unseen_words as select * from "words" with no data;
    create sequence numbers;
    create type shape_of as (a integer, b text);
    create function twice(integer) returns integer language sql as 'select 2 * $1';
    create temp table passing (id integer);`,
  mysql: `
    create table "words" (id integer primary key, word text);
    create table days (day date not null) partition by hash (year(day)) partitions 2;
    create table gone (id integer);
    create view long_words as select * from "words";
    create view broken as select * from gone;
    drop table gone;`,
}

const junction = `
  create table tags (id integer primary key);
  create table words_tags (word_id integer not null, tag_id integer not null, primary key (word_id, tag_id),
    foreign key (word_id) references "words" (id), foreign key (tag_id) references tags (id));
  create table schema_migrations (version varchar(20) primary key);`

async function typesOf(db: TestDatabase): Promise<Types> {
  if (db.name === 'sqlite') return sqliteTypes
  if (db.name === 'postgres') {
    const { rows } = await sql<{ name: string }>`
      select typname::text as name from pg_type
      where typnamespace = 'pg_catalog'::regnamespace and typtype in ('b', 'r', 'm') and typisdefined
        and (typelem = 0 or typcategory <> 'A' or (select e.typtype from pg_type e where e.oid = pg_type.typelem) not in ('c', 'p'))
      order by typname`.execute(db.kysely)
    return Object.fromEntries(rows.map(({ name }) => [name, postgresTypes[name] ?? 'null']))
  }
  const own: Types =
    db.engine === 'mysql'
      ? { 'vector(2)': "string_to_vector('[1,2]')" }
      : { inet6: "'::1'", uuid: "'7d444840-9dc0-11d1-b245-5ffdce74fad2'" }
  return { ...mysqlTypes, ...own }
}

eachDatabase('what introspection leaves out', (test, db) => {
  let types: readonly (readonly [type: string, literal: string])[] = []
  test.before(async () => {
    types = Object.entries(await typesOf(db))
    const columns = types.map(([type], i) =>
      // Without quotes, `"char"` and others are keywords.
      [`c${i}`, db.name === 'postgres' ? `pg_catalog."${type}"` : type].join(' '),
    )
    const literals = types.map(([, literal]) => literal)
    await createTables(
      db,
      objects[db.name] +
        junction +
        (db.engine === 'mariadb'
          ? 'create sequence numbers; create table past (id integer) with system versioning;'
          : ''),
    )
    await db.execScript(`
      create table all_types (id integer primary key, ${columns.join(', ')});
      insert into all_types values (1, ${literals.join(', ')});`)
  })

  test('is never a column, whatever its type, and each value is served', async () => {
    const { models, notes } = await introspect(db.kysely, { only: ['all_types'] })
    equal(
      notes.filter(({ note }) => note.startsWith('left out')),
      [],
    )
    const api = testApi(
      db,
      models.map((model) => ({ ...model, meta: {} })),
    )
    const { status, value, text } = await get(api, '/api/all-types/1')
    equal(status, 200, text)
    equal(Object.keys(value).length, types.length + 1)
    const absent = types.filter(
      ([, literal], i) => literal !== 'null' && (value[`c${i}`] ?? null) === null,
    )
    equal(
      absent.map(([type]) => type),
      [],
    )
  })

  test('is listed in the docs', async () => {
    const { models, leftOut } = await introspect(db.kysely)
    const kind = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL' }[db.name]
    const allowed = documented(kind)
    ok(allowed.length > 2)
    for (const { table, reason } of leftOut) {
      ok(
        allowed.some((pattern) => pattern.test(reason)),
        `${table}: ${reason}`,
      )
    }
    const named = new Set([
      ...models.map(({ table }) => table),
      ...leftOut.map(({ table }) => table),
    ])
    const made = `${objects[db.name]}${junction}`.matchAll(
      /create (?:unlogged |virtual |materialized )?(?:table|view) "?(\w+)/g,
    )
    equal(
      [...made].flatMap(([, name = '']) => (named.has(name) || name === 'gone' ? [] : [name])),
      [],
    )
    equal(
      leftOut.map(({ table }) => table).filter((table) => !/^(?:found|areas)_/.test(table)),
      {
        sqlite: ['areas', 'broken', 'found', 'schema_migrations', 'words_tags'],
        postgres: ['days_2024', 'schema_migrations', 'unseen_words', 'words_tags'],
        mysql: ['broken', 'schema_migrations', 'words_tags'],
      }[db.name],
    )
  })
})
