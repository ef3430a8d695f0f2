/** Tables and models that differ, each with its expected differences, and pairs that match. */
import {
  type AnyModel,
  belongsTo,
  type Column,
  defineModel,
  hasOne,
  manyToMany,
} from '@model-api/core'
import type { TestDatabase } from '../support/databases.ts'

/** One text for every database, or one for each. */
type PerDatabase = string | Readonly<Record<TestDatabase['name'], string>>

export interface Seed {
  readonly title: string
  /** The text after the table's name in CREATE TABLE; if absent, the table does not exist. */
  readonly table?: PerDatabase
  readonly model: Omit<Parameters<typeof defineModel>[1], 'table'>
  /** `kind column` of each difference. */
  readonly expected: readonly string[]
  /** Statements after CREATE TABLE; `{t}` is its name. */
  readonly further?: string
}

const id: Column = { type: 'integer', primaryKey: true }

export const types = {
  integer: 'integer',
  bigint: 'bigint',
  float: { sqlite: 'real', postgres: 'double precision', mysql: 'double' },
  decimal: 'decimal(10,2)',
  boolean: 'boolean',
  string: 'varchar(80)',
  text: 'text',
  date: 'date',
  datetime: { sqlite: 'datetime', postgres: 'timestamptz', mysql: 'datetime(3)' },
  time: 'time',
  uuid: { sqlite: 'uuid', postgres: 'uuid', mysql: 'char(36)' },
  json: { sqlite: 'json', postgres: 'jsonb', mysql: 'json' },
  binary: { sqlite: 'blob', postgres: 'bytea', mysql: 'blob' },
} as const satisfies Record<Exclude<Column['type'], 'enum' | 'list' | 'opaque'>, PerDatabase>

type TypeName = keyof typeof types

export const textOf = (text: PerDatabase, db: Pick<TestDatabase, 'name'>): string =>
  typeof text === 'string' ? text : text[db.name]

const prefixed = (before: string, text: PerDatabase, after: string): PerDatabase => ({
  sqlite: `${before}${textOf(text, { name: 'sqlite' })}${after}`,
  postgres: `${before}${textOf(text, { name: 'postgres' })}${after}`,
  mysql: `${before}${textOf(text, { name: 'mysql' })}${after}`,
})

/** A table with a key and the column `value`. */
const withColumn = (type: PerDatabase): PerDatabase =>
  prefixed('(id integer not null primary key, v ', type, ')')

const column = (
  title: string,
  type: PerDatabase,
  declared: Column,
  ...expected: readonly string[]
): Seed => ({
  title,
  table: withColumn(type),
  model: { columns: { id, v: declared }, meta: {} },
  expected,
})

const typed = (declared: Column['type'], stored: TypeName, ...expected: string[]): Seed =>
  column(
    `${declared} in a column of ${stored}`,
    prefixed('', types[stored], declared === 'opaque' ? '' : ' not null'),
    {
      type: declared,
      ...(declared === 'enum' ? { enum: ['a', 'b'] } : {}),
      ...(declared === 'opaque' ? { readOnly: true, nullable: true } : {}),
      ...(declared === 'decimal' ? { precision: 10, scale: 2 } : {}),
    },
    ...expected,
  )

const wrongTypes: readonly (readonly [Column['type'], TypeName])[] = [
  ['integer', 'text'],
  ['integer', 'string'],
  ['integer', 'float'],
  ['integer', 'date'],
  ['integer', 'datetime'],
  ['integer', 'json'],
  ['integer', 'binary'],
  ['integer', 'decimal'],
  ['bigint', 'text'],
  ['bigint', 'float'],
  ['bigint', 'date'],
  ['float', 'text'],
  ['float', 'boolean'],
  ['float', 'integer'],
  ['decimal', 'text'],
  ['decimal', 'integer'],
  ['decimal', 'boolean'],
  ['decimal', 'date'],
  ['boolean', 'text'],
  ['boolean', 'date'],
  ['boolean', 'json'],
  ['boolean', 'float'],
  ['string', 'integer'],
  ['string', 'boolean'],
  ['string', 'date'],
  ['string', 'json'],
  ['string', 'binary'],
  ['text', 'decimal'],
  ['text', 'datetime'],
  ['text', 'bigint'],
  ['date', 'integer'],
  ['date', 'datetime'],
  ['date', 'time'],
  ['datetime', 'date'],
  ['datetime', 'integer'],
  ['datetime', 'time'],
  ['time', 'datetime'],
  ['time', 'integer'],
  ['uuid', 'integer'],
  ['uuid', 'date'],
  ['json', 'integer'],
  ['json', 'date'],
  ['binary', 'text'],
  ['binary', 'json'],
  ['enum', 'integer'],
  ['enum', 'date'],
]

const fittingTypes: readonly (readonly [Column['type'], TypeName])[] = [
  ['integer', 'integer'],
  ['integer', 'bigint'],
  ['bigint', 'bigint'],
  ['bigint', 'integer'],
  ['float', 'float'],
  ['float', 'decimal'],
  ['decimal', 'decimal'],
  ['boolean', 'boolean'],
  ['string', 'string'],
  ['string', 'text'],
  ['text', 'text'],
  ['text', 'string'],
  ['date', 'date'],
  ['datetime', 'datetime'],
  ['time', 'time'],
  ['uuid', 'uuid'],
  ['uuid', 'text'],
  ['json', 'json'],
  ['json', 'text'],
  ['binary', 'binary'],
  ['enum', 'string'],
  ['enum', 'text'],
  ['opaque', 'date'],
  ['opaque', 'json'],
]

/** Pairs that match. */
export const clean: readonly Seed[] = [
  ...fittingTypes.map(([declared, stored]) => typed(declared, stored)),
  column('a whole number in decimals without fraction', 'decimal(12,0) not null', {
    type: 'bigint',
  }),
  column('a decimal of scale 0 in whole numbers', 'bigint not null', { type: 'decimal', scale: 0 }),
  column('a nullable column', 'varchar(80)', { type: 'string', nullable: true }),
  column('a shorter text than the column holds', 'varchar(80) not null', {
    type: 'string',
    maxLength: 40,
  }),
  column('digits that only the column has in full', 'decimal(10,2) not null', {
    type: 'decimal',
    scale: 2,
  }),
  column('a default of the database', "varchar(80) default 'x' not null", {
    type: 'string',
    hasDefault: true,
  }),
  column('a default that the model does not mention', "varchar(80) default 'x' not null", {
    type: 'string',
  }),
  column('a unique column', 'varchar(80) not null unique', { type: 'string', unique: true }),
  column('a unique column that the model does not mention', 'varchar(80) not null unique', {
    type: 'string',
  }),
  column('a read-only column with a default', 'integer default 0 not null', {
    type: 'integer',
    readOnly: true,
    hasDefault: true,
  }),
  column('a managed column', withoutKey(types.datetime, ' not null'), {
    type: 'datetime',
    managed: 'created',
  }),
  {
    title: 'a required column that the model leaves out, without POST',
    table: '(id integer not null primary key, v integer not null)',
    model: { columns: { id }, meta: { block_methods: ['POST'] } },
    expected: [],
  },
  {
    title: 'a hidden column that a callback fills',
    table: '(id integer not null primary key, v integer not null)',
    model: {
      columns: { id, v: { type: 'integer', hidden: true } },
      meta: { add_callback: (object) => object },
    },
    expected: [],
  },
  {
    title: 'a key of unique NOT NULL columns',
    table: '(id integer not null primary key, v varchar(80) not null unique)',
    model: {
      columns: { v: { type: 'string', primaryKey: true }, id: { type: 'integer' } },
      meta: {},
    },
    expected: [],
  },
  {
    title: 'a model without a key',
    table: '(v varchar(80) not null)',
    model: { columns: { v: { type: 'string' } }, meta: {} },
    expected: [],
  },
  {
    title: 'a write-only column, whose stored form has another length',
    table: '(id integer not null primary key, v varchar(60) not null)',
    model: {
      columns: {
        id,
        v: { type: 'string', maxLength: 72, writeOnly: true, transform: (text: string) => text },
      },
      meta: {},
    },
    expected: [],
  },
  {
    title: 'a write-only column in a unique key with the primary key',
    table: '(id integer not null primary key, v varchar(60) not null, unique (id, v))',
    model: { columns: { id, v: { type: 'string', writeOnly: true } }, meta: {} },
    expected: [],
  },
  {
    title: 'a model that is excluded from the check',
    table: '(id integer not null primary key)',
    model: { columns: { id, v: { type: 'string' } }, meta: { schema_check: 'off' } },
    expected: [],
  },
]

function withoutKey(type: PerDatabase, after: string): PerDatabase {
  return prefixed('', type, after)
}

/** Pairs that differ. */
export const different: readonly Seed[] = [
  ...wrongTypes.map(([declared, stored]) => typed(declared, stored, 'type v')),
  {
    title: 'a table that does not exist',
    model: { columns: { id }, meta: {} },
    expected: ['missing table'],
  },
  {
    title: 'a column that does not exist',
    table: '(id integer not null primary key, isbn13 varchar(13))',
    model: { columns: { id, isbn: { type: 'string', nullable: true } }, meta: {} },
    expected: ['missing column isbn'],
  },
  {
    title: 'a column with another name',
    table: '(id integer not null primary key, created_at date)',
    model: {
      columns: { id, createdAt: { type: 'date', column: 'createdat', nullable: true } },
      meta: {},
    },
    expected: ['missing column createdAt'],
  },
  column('a column that may be null', 'varchar(80)', { type: 'string' }, 'nullability v'),
  column(
    'a nullable field of a NOT NULL column',
    'varchar(80) not null',
    { type: 'string', nullable: true },
    'nullability v',
  ),
  column(
    'a number that may be null',
    'integer',
    { type: 'integer', hasDefault: true },
    'nullability v',
    'no default v',
  ),
  column('longer texts', 'varchar(80) not null', { type: 'string', maxLength: 120 }, 'length v'),
  column(
    'longer write-only texts',
    'varchar(60) not null',
    { type: 'string', maxLength: 72, writeOnly: true },
    'length v',
  ),
  column(
    'a unique write-only column',
    'varchar(60) not null unique',
    { type: 'string', writeOnly: true },
    'unique write-only v',
  ),
  {
    title: 'a unique set with a write-only column',
    table:
      '(id integer not null primary key, a integer not null, v varchar(60) not null, unique (a, v))',
    model: {
      columns: { id, a: { type: 'integer' }, v: { type: 'string', writeOnly: true } },
      meta: {},
    },
    expected: ['unique write-only v'],
  },
  column('longer plain texts', 'varchar(80) not null', { type: 'text', maxLength: 81 }, 'length v'),
  column('uuids', 'varchar(32) not null', { type: 'uuid' }, 'length v'),
  column(
    'longer members',
    'varchar(3) not null',
    { type: 'enum', enum: ['new', 'used'] },
    'length v',
  ),
  column(
    'more digits',
    'decimal(8,2) not null',
    { type: 'decimal', precision: 10, scale: 2 },
    'precision v',
  ),
  column(
    'fewer digits',
    'decimal(12,2) not null',
    { type: 'decimal', precision: 10, scale: 2 },
    'precision v',
  ),
  column(
    'another scale',
    'decimal(10,3) not null',
    { type: 'decimal', precision: 10, scale: 2 },
    'precision v',
  ),
  column(
    'another scale alone',
    'decimal(10,4) not null',
    { type: 'decimal', scale: 2 },
    'precision v',
  ),
  column(
    'a generated value',
    'integer not null',
    { type: 'integer', generated: true },
    'not generated v',
  ),
  column('a default', 'integer not null', { type: 'integer', hasDefault: true }, 'no default v'),
  column(
    'a nullable default',
    'integer',
    { type: 'integer', nullable: true, hasDefault: true },
    'no default v',
  ),
  column('a unique field', 'varchar(80) not null', { type: 'string', unique: true }, 'unique v'),
  column(
    'a read-only field',
    'integer not null',
    { type: 'integer', readOnly: true },
    'never filled v',
  ),
  column('a hidden field', 'integer not null', { type: 'integer', hidden: true }, 'never filled v'),
  column(
    'a writable field that the database computes',
    'integer generated always as (1 + 1) stored',
    { type: 'integer', nullable: true },
    'computed v',
  ),
  column(
    'a managed field that the database computes',
    prefixed('', types.date, ' generated always as (null) stored'),
    { type: 'date', nullable: true, managed: 'created' },
    'computed v',
  ),
  {
    title: 'a required column that the model leaves out',
    table: '(id integer not null primary key, v integer not null)',
    model: { columns: { id }, meta: {} },
    expected: ['never filled v'],
  },
  {
    title: 'another key',
    table: '(id integer not null primary key, v integer not null)',
    model: {
      columns: { v: { type: 'integer', primaryKey: true }, id: { type: 'integer' } },
      meta: {},
    },
    expected: ['primary key v'],
  },
  {
    title: 'a part of the key',
    table: '(a integer not null, b integer not null, primary key (a, b))',
    model: {
      columns: { a: { type: 'integer', primaryKey: true }, b: { type: 'integer' } },
      meta: {},
    },
    expected: ['primary key a'],
  },
  {
    title: 'more columns than the key',
    table: '(a integer not null, b integer not null, primary key (a))',
    model: {
      columns: {
        a: { type: 'integer', primaryKey: true },
        b: { type: 'integer', primaryKey: true },
      },
      meta: {},
    },
    expected: ['primary key a, b'],
  },
  {
    title: 'a key in a table without one',
    table: '(id integer not null)',
    model: { columns: { id }, meta: {} },
    expected: ['primary key id'],
  },
  {
    title: 'a nullable key',
    table: '(v integer unique)',
    model: { columns: { v: { type: 'integer', primaryKey: true } }, meta: {} },
    expected: ['nullability v', 'primary key v'],
  },
  {
    title: 'a unique set',
    table: '(id integer not null primary key, a integer not null, b integer not null)',
    model: {
      columns: { id, a: { type: 'integer' }, b: { type: 'integer' } },
      unique: [['a', 'b']],
      meta: {},
    },
    expected: ['unique a, b'],
  },
  {
    title: 'a unique set of which the database has more columns',
    table:
      '(id integer not null primary key, a integer not null, b integer not null, c integer not null, unique (a, b, c))',
    model: {
      columns: { id, a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } },
      unique: [['a', 'b']],
      meta: {},
    },
    expected: ['unique a, b'],
  },
]

/** The tables of relations. They share the table `targets`, because a database for each pair would cost more. */
export const relationTables = `
create table targets (id integer not null primary key, code varchar(20) not null);
create table others (id integer not null primary key);
create table rel_none (id integer not null primary key, target_id integer not null);
create table rel_other (id integer not null primary key, target_id integer not null, foreign key (target_id) references others (id));
create table rel_good (id integer not null primary key, target_id integer not null unique, foreign key (target_id) references targets (id));
create table rel_code (id integer not null primary key, code varchar(20) not null);
create table rel_links (rel_good_id integer not null, target_id integer not null, primary key (rel_good_id, target_id),
  foreign key (rel_good_id) references rel_good (id));
`

const key: Column = { type: 'integer' }

/** The models of `relationTables`, and their differences as `kind model column`. */
export const relationModels: readonly AnyModel[] = [
  defineModel('Target', {
    table: 'targets',
    columns: { id, code: { type: 'string', unique: true } },
    relations: { none: hasOne('None', 'target_id') },
    meta: {},
  }),
  defineModel('None', {
    table: 'rel_none',
    columns: { id, target_id: key },
    relations: { target: belongsTo('Target', 'target_id') },
    meta: {},
  }),
  defineModel('Elsewhere', {
    table: 'rel_other',
    columns: { id, target_id: key },
    relations: { target: belongsTo('Target', 'target_id') },
    meta: {},
  }),
  defineModel('Good', {
    table: 'rel_good',
    columns: { id, target_id: { ...key, unique: true } },
    relations: {
      target: belongsTo('Target', 'target_id'),
      targets: manyToMany('Target', { through: 'rel_links', from: 'rel_good_id', to: 'target_id' }),
      absent: manyToMany('Target', { through: 'rel_absent', from: 'rel_good_id', to: 'target_id' }),
      wrong: manyToMany('Target', { through: 'rel_links', from: 'good_id', to: 'target_id' }),
    },
    meta: {},
  }),
  defineModel('ByCode', {
    table: 'rel_code',
    columns: { id, code: { type: 'string' } },
    relations: { target: belongsTo('Target', 'code', { references: 'code' }) },
    meta: {},
  }),
]

export const relationDifferences: readonly string[] = [
  'unique Target code',
  'foreign key None target',
  'foreign key Elsewhere target',
  'foreign key ByCode target',
  'unique Target none',
  'foreign key Good targets',
  'missing table Good absent',
  'missing column Good wrong',
]
