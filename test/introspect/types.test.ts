/** Column types that introspect reads: the same on every database that has them. */
import type { Column } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

type Case = readonly [name: string, sqlite: string, postgres: string, mysql: string, column: Column]

const required: readonly Case[] = [
  ['small', 'smallint', 'smallint', 'smallint', { type: 'integer' }],
  ['whole', 'integer', 'integer', 'int', { type: 'integer' }],
  ['big', 'bigint', 'bigint', 'bigint', { type: 'bigint' }],
  ['real_number', 'double precision', 'double precision', 'double', { type: 'float' }],
  ['short_real', 'real', 'real', 'float', { type: 'float' }],
  [
    'price',
    'numeric(10,2)',
    'numeric(10,2)',
    'numeric(10,2)',
    { type: 'decimal', precision: 10, scale: 2 },
  ],
  [
    'whole_price',
    'decimal(7)',
    'decimal(7)',
    'decimal(7)',
    { type: 'decimal', precision: 7, scale: 0 },
  ],
  ['flag', 'boolean', 'boolean', 'boolean', { type: 'boolean' }],
  ['title', 'nvarchar(160)', 'varchar(160)', 'varchar(160)', { type: 'string', maxLength: 160 }],
  ['code', 'char(2)', 'char(2)', 'char(2)', { type: 'string', maxLength: 2 }],
  ['story', 'text', 'text', 'longtext', { type: 'text' }],
  ['day', 'date', 'date', 'date', { type: 'date' }],
  ['moment', 'datetime', 'timestamp', 'datetime(3)', { type: 'datetime' }],
  ['instant', 'timestamptz', 'timestamptz(3)', 'timestamp(3)', { type: 'datetime' }],
  ['clock', 'time', 'time', 'time', { type: 'time' }],
  ['document', 'json', 'jsonb', 'json', { type: 'json' }],
  ['bytes', 'blob', 'bytea', 'varbinary(200)', { type: 'binary' }],
]

const ready = { hasDefault: true }
const options: readonly Case[] = [
  ['may_be_null', 'integer null', 'integer null', 'int null', { type: 'integer', nullable: true }],
  [
    'one_of_a_kind',
    'text unique',
    'text unique',
    'varchar(90) unique',
    { type: 'text', nullable: true, unique: true },
  ],
  [
    'zero',
    'integer not null default 0',
    'integer not null default 0',
    'int not null default 0',
    { type: 'integer', ...ready, databaseDefault: 0 },
  ],
  [
    'now',
    'datetime not null default current_timestamp',
    'timestamp not null default current_timestamp',
    'datetime not null default current_timestamp',
    { type: 'datetime', ...ready },
  ],
  [
    'no_default',
    'integer default null',
    'integer default null',
    'int default null',
    { type: 'integer', nullable: true },
  ],
]

eachDatabase('types of introspect', (test, db) => {
  let found: Introspection
  const at = { sqlite: 1, postgres: 2, mysql: 3 }[db.name] as 1 | 2 | 3
  const columns = (name: string): Readonly<Record<string, Column>> =>
    found.models.find((model) => model.name === name)?.columns ?? {}
  const rest = (name: string): Readonly<Record<string, Column>> => {
    const { id: _, ...others } = columns(name)
    return others
  }
  const define = (table: string, cases: readonly Case[], suffix: string): string =>
    `create table ${table} (id {id}, ${cases.map((one) => `${one[0]} ${one[at]}${suffix}`).join(', ')});`

  const own = {
    sqlite: `
      create table particular (id integer primary key,
        tiny tinyint(1), uuid_text uuid, digits decimal(30,10),
        text_digits decimal_text(30,10), plain numeric, nameless, doubled as (id * 2) stored,
        nocase text collate nocase, "right" varchar(9) collate rtrim, -- a comment, with a comma
        exact text collate binary, stamp datetime, strange money);
      insert into particular (id, nameless, stamp, strange) values (1, 'x', 1700000000000, 1.5), (2, 'y', null, 2);
      create table keyed (a text, b text, primary key (b, a)) without rowid;
      create table text_key (id text primary key);
      create virtual table found using fts5(body);`,
    postgres: `
      create type mood as enum ('sad', 'it''s ok');
      create domain price as numeric(8,2) not null check (value > 0);
      create domain prices as price;
      create table particular (id bigserial primary key, kind mood, uuid_text uuid, digits numeric(30,10),
        plain numeric, always integer generated always as identity, cost prices, words text[],
        period interval, address inet not null, doubled integer generated always as (1 + 1) stored,
        c_text text collate "C", own_text text collate "und-x-icu", lost name);
      comment on column particular.plain is 'As printed';
      create table days (day date, id integer, primary key (id, day)) partition by range (day);
      create table days_2024 partition of days for values from ('2024-01-01') to ('2025-01-01');
      create materialized view seen as select 1 as id;
      create table binary_key (id bytea primary key);
      create unique index part on particular (digits) where digits > 1;
      create schema other;
      create table other.things (id integer primary key, particular_id bigint references particular);`,
    mysql: `
      create table particular (id bigint unsigned auto_increment primary key,
        kind enum('a','b''c') not null, flags set('x','y'), bits bit(3) not null, on_off bit(1), counted int unsigned,
        tiny tinyint(4), nocase varchar(20) collate utf8mb4_general_ci, latin varchar(20) character set latin1,
        born year, doubled int as (1 + 1) stored, place point, nullish varchar(9) default 'NULL',
        digits decimal(30,10) comment 'As printed', beginning text,
        exact_json longtext check (json_valid(exact_json)), unique key (beginning(10)));
      create table binary_key (id binary(16) primary key);`,
  }

  test.before(async () => {
    await createTables(
      db,
      define('plain_types', required, ' not null') + define('options', options, '') + own[db.name],
    )
    found = await introspect(db.kysely)
  })

  test('a generated key is distinguished from a client-chosen one', () => {
    equal(columns('PlainType').id, { type: 'integer', primaryKey: true, generated: true })
  })

  test('every type that all databases have is read the same', () => {
    equal(rest('PlainType'), Object.fromEntries(required.map((one) => [one[0], one[4]])))
  })

  test('nullability, uniqueness and defaults are read', () => {
    const expected = Object.fromEntries(options.map((one) => [one[0], one[4]]))
    // An index on text needs a length in MySQL and MariaDB.
    const short: Column = { type: 'string', maxLength: 90, nullable: true, unique: true }
    const differs = db.name === 'mysql' ? { one_of_a_kind: short } : {}
    equal(rest('Option'), { ...expected, ...differs })
  })

  test('types of one database only', () => {
    const nullable = { nullable: true }
    const database = { collation: 'database' as const }
    const opaque = { type: 'opaque', readOnly: true, ...nullable } as const
    equal(
      columns('Particular'),
      {
        sqlite: {
          id: { type: 'integer', primaryKey: true, generated: true },
          tiny: { type: 'boolean', ...nullable },
          uuid_text: { type: 'uuid', ...nullable },
          digits: { type: 'float', ...nullable },
          text_digits: { type: 'decimal', precision: 30, scale: 10, storage: 'text', ...nullable },
          plain: { type: 'float', ...nullable },
          nameless: { type: 'text', ...nullable },
          doubled: { type: 'integer', ...nullable, readOnly: true },
          nocase: { type: 'text', ...database, ...nullable },
          right: { type: 'string', maxLength: 9, ...database, ...nullable },
          exact: { type: 'text', ...nullable },
          stamp: { type: 'bigint', ...nullable },
          strange: { type: 'float', ...nullable },
        },
        postgres: {
          id: { type: 'bigint', primaryKey: true, generated: true },
          kind: { type: 'enum', enum: ['sad', "it's ok"], ...nullable },
          uuid_text: { type: 'uuid', ...nullable },
          digits: { type: 'decimal', precision: 30, scale: 10, ...nullable },
          plain: { type: 'decimal', ...nullable, description: 'As printed' },
          always: { type: 'integer', generated: true },
          cost: { type: 'decimal', precision: 8, scale: 2, exclusiveMinimum: 0 },
          doubled: { type: 'integer', ...nullable, readOnly: true },
          c_text: { type: 'text', ...nullable },
          own_text: { type: 'text', ...database, ...nullable },
          words: { type: 'list', items: 'text', ...nullable },
          period: opaque,
          address: { type: 'opaque', readOnly: true },
          lost: { type: 'string', maxLength: 63, ...nullable },
        },
        mysql: {
          id: { type: 'bigint', unsigned: true, primaryKey: true, generated: true },
          kind: { type: 'enum', enum: ['a', "b'c"] },
          flags: opaque,
          bits: { type: 'opaque', readOnly: true },
          place: opaque,
          on_off: { type: 'boolean', ...nullable },
          counted: { type: 'integer', unsigned: true, ...nullable },
          tiny: { type: 'integer', ...nullable },
          nocase: { type: 'string', maxLength: 20, ...database, ...nullable },
          latin: { type: 'string', maxLength: 20, ...database, ...nullable },
          born: { type: 'integer', ...nullable },
          doubled: { type: 'integer', ...nullable, readOnly: true },
          nullish: {
            type: 'string',
            maxLength: 9,
            ...nullable,
            hasDefault: true,
            databaseDefault: 'NULL',
          },
          digits: {
            type: 'decimal',
            precision: 30,
            scale: 10,
            ...nullable,
            description: 'As printed',
          },
          beginning: { type: 'text', ...nullable },
          exact_json: { type: 'json', ...nullable },
        },
      }[db.name],
    )
  })

  test('types that need an explanation have a note', () => {
    const notes = found.notes.flatMap(({ table, column, note }) =>
      column === undefined ? [] : [`${table}.${column}: ${note}`],
    )
    equal(
      notes,
      {
        sqlite: [
          'particular.digits: so many digits are stored as a 64-bit float here, so it is served as float',
          'particular.nameless: it has no declared type; its values are text, so it is served as text',
          'particular.doubled: it has no declared type; its values are integer, so it is served as integer',
          'particular.stamp: it is declared datetime but holds numbers, so it is served as bigint',
          'particular.strange: money is no type we know; its values are float, so it is served as float',
        ],
        postgres: [
          'particular.period: type interval has no column type of its own, so it is served as text and cannot be written',
          'particular.address: type inet has no column type of its own, so it is served as text and cannot be written; it is required, so records cannot be created',
        ],
        mysql: [
          "particular.flags: type set('x','y') has no column type of its own, so it is served as text and cannot be written",
          'particular.bits: type bit(3) has no column type of its own, so it is served as text and cannot be written; it is required, so records cannot be created',
          'particular.place: type point has no column type of its own, so it is served as text and cannot be written',
        ],
      }[db.name],
    )
  })

  test('tables that cannot be served are listed', () => {
    const reasons = found.leftOut.map(({ table, reason }) => `${table}: ${reason}`)
    equal(
      reasons.filter((line) => !line.startsWith('found_')),
      {
        sqlite: ['found: a virtual table'],
        postgres: ['days_2024: a partition of another table'],
        mysql: [],
      }[db.name],
    )
  })

  test('a table whose key cannot be part of a path is a list', () => {
    const binary = (type: string) => ({
      table: 'binary_key',
      reason: `its key column id is of type ${type}, which cannot stand in a path`,
    })
    const seen = { table: 'seen', reason: 'a materialised view without a key' }
    equal(
      found.listOnly,
      {
        sqlite: [],
        postgres: [binary('bytea'), seen],
        mysql: [binary('binary(16)')],
      }[db.name],
    )
  })

  test('another schema is read by name, and an unknown one is an error', async () => {
    if (db.name === 'postgres') {
      const other = await introspect(db.kysely, { schema: 'other' })
      equal(
        other.models.map((model) => model.name),
        ['Thing'],
      )
      equal(
        other.notes.map(({ note }) => note),
        [
          'no relation for the foreign key (particular_id): "public.particular" lies in another schema',
        ],
      )
    }
    const error = await introspect(db.kysely, { schema: 'nowhere' }).catch((e: Error) => e)
    equal(error instanceof Error && /^There is no .*"nowhere"\. .*: "/.test(error.message), true)
  })
})
