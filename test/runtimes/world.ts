/** The models, tables and configuration of the conformance list. Every runtime loads it, so it imports only the core and Kysely. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
  passwordCheck,
} from '@model-api/core'
import { type Kysely, sql } from 'kysely'

export type Tables = 'sqlite' | 'postgres' | 'mysql'

const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 120, unique: true },
    born_on: { type: 'date', nullable: true },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 200 },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    rating: { type: 'float', nullable: true },
    sold: { type: 'bigint', nullable: true },
    in_stock: { type: 'boolean', nullable: true },
    published_at: { type: 'datetime', nullable: true },
    details: { type: 'json', nullable: true },
    author_id: { type: 'integer', nullable: true },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
})

const Tag = defineModel('Tag', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40, unique: true },
  },
  relations: {
    books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
  },
  meta: {},
})

const Note = defineModel('Note', {
  columns: {
    id: { type: 'uuid', primaryKey: true },
    text: { type: 'text' },
    scan: { type: 'binary', nullable: true },
    seen_at: { type: 'time', nullable: true },
  },
  meta: { auth_requirements: { GET: true, POST: true } },
})

/** With soft delete; a DELETE takes the shelves above along. */
const Shelf = defineModel('Shelf', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    place: { type: 'string', maxLength: 40, unique: true },
    below_id: { type: 'integer', nullable: true },
    gone: { type: 'boolean' },
  },
  relations: {
    below: belongsTo('Shelf', 'below_id'),
    above: hasMany('Shelf', 'below_id', { on_delete: 'cascade' }),
  },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})

/** Of many records, only imports; a change of one needs its ETag. Nobody reads the codes. */
const Seal = defineModel('Seal', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    mark: { type: 'string', maxLength: 40, unique: true },
    colour: { type: 'string', maxLength: 40 },
    code: {
      type: 'string',
      maxLength: 40,
      nullable: true,
      writeOnly: true,
      transform: (value) => `kept ${value}`,
    },
  },
  meta: { allow_bulk: ['POST'] },
})

/** Loans of a seal do not overlap. */
const Loan = defineModel('Loan', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    seal_id: { type: 'integer' },
    taken: { type: 'datetime' },
    back: { type: 'datetime', nullable: true },
  },
  relations: { seal: belongsTo('Seal', 'seal_id') },
  exclude: { name: 'one loan', seal_id: 'equal', period: ['taken', 'back'] },
  meta: {},
})

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80, unique: true },
    password_hash: { type: 'string', maxLength: 80 },
  },
  methods: { check_password: passwordCheck('password_hash') },
})

export const models: readonly AnyModel[] = [Author, Book, Tag, Note, Shelf, Seal, Loan, User]

/** The public key of another service, which signed the token in `requests.ts`. */
const issuerKey = {
  kid: 'runtimes',
  kty: 'EC',
  crv: 'P-256',
  x: '6Uhml5AUwPf7IVMs_FARzxGEK9Bo_Jntgu4Hg119cog',
  y: 'sRlVTz9WGaArs4ylmK-4w_43FTVmRfSeCgkshhW6eLw',
}

/** Omits the time from the responses. */
export const config: ApiConfig = {
  API_TITLE: 'Runtimes',
  API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie'],
  API_AUTH_REFRESH_COOKIE: true,
  API_VERSION: '1.0',
  // HTML pages are off by default on runtimes without an environment.
  API_HTML_PAGES: true,
  API_HEALTH_ROUTE: '/health',
  API_DUMP_DATETIME: false,
  API_DUMP_RESPONSE_MS: false,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
  API_KEYS: true,
  API_JWT_ISSUERS: [
    {
      issuer: 'https://id.example.com',
      audience: 'runtimes',
      jwks: { keys: [issuerKey] },
      algorithms: ['ES256'],
      user: ({ name }) => typeof name === 'string' && name,
    },
  ],
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check_password',
  API_AUTH_REQUIREMENTS: { GET: false, POST: false, PATCH: false, PUT: false, DELETE: false },
}

export const secrets = {
  ACCESS_SECRET_KEY: 'access-secret-of-the-conformance-list',
  REFRESH_SECRET_KEY: 'refresh-secret-of-the-conformance-list',
}

/** `bcrypt('correct horse')` with the lowest cost. */
const passwordHash = '$2b$04$Jbr30PYxm12jmzpEMTfL5uzdTX/cVggXnEhyZSXSG3sLD4QWN02zC'

const types = {
  sqlite: {
    key: 'integer primary key autoincrement',
    float: 'real',
    boolean: 'integer',
    date: 'text',
    datetime: 'text',
    time: 'text',
    json: 'text',
    uuid: 'text',
    binary: 'blob',
  },
  postgres: {
    key: 'integer generated by default as identity (start with 100) primary key',
    float: 'double precision',
    boolean: 'boolean',
    date: 'date',
    datetime: 'timestamptz',
    time: 'time',
    json: 'json',
    uuid: 'uuid',
    binary: 'bytea',
  },
  mysql: {
    key: 'int auto_increment primary key',
    float: 'double',
    boolean: 'tinyint(1)',
    date: 'date',
    datetime: 'datetime(6)',
    time: 'time',
    json: 'json',
    uuid: 'char(36)',
    binary: 'longblob',
  },
} as const

/** The statements that create the tables and fill them; generated keys continue at 100. */
function script(tables: Tables): readonly string[] {
  const t = types[tables]
  const yes = tables === 'postgres' ? 'true' : '1'
  const no = tables === 'postgres' ? 'false' : '0'
  const next = (table: string): string =>
    tables === 'sqlite'
      ? `update sqlite_sequence set seq = 99 where name = '${table}'`
      : tables === 'mysql'
        ? `alter table ${table} auto_increment = 100`
        : `select setval(pg_get_serial_sequence('${table}', 'id'), 99)`
  return [
    `create table authors (id ${t.key}, name varchar(120) not null unique, born_on ${t.date})`,
    `create table books (id ${t.key}, title varchar(200) not null, price decimal(8, 2), rating ${t.float}, sold bigint,
      in_stock ${t.boolean}, published_at ${t.datetime}, details ${t.json},
      author_id integer${tables === 'mysql' ? '' : ' references authors (id)'})`,
    `create table tags (id ${t.key}, name varchar(40) not null unique)`,
    'create table book_tags (book_id integer not null, tag_id integer not null, primary key (book_id, tag_id))',
    `create table notes (id ${t.uuid} primary key, text varchar(1000) not null, scan ${t.binary}, seen_at ${t.time})`,
    `create table shelves (id ${t.key}, place varchar(40) not null unique, below_id integer, gone ${t.boolean} not null)`,
    `create table seals (id ${t.key}, mark varchar(40) not null unique, colour varchar(40) not null, code varchar(40))`,
    `create table loans (id ${t.key}, seal_id integer not null, taken ${t.datetime} not null, back ${t.datetime})`,
    `create table users (id ${t.key}, name varchar(80) not null unique, password_hash varchar(80) not null)`,
    `insert into authors (id, name, born_on) values (1, 'Ann Archer', '1970-01-31'), (2, 'bob Baker', null), (3, 'Čapek, Karel', '1890-01-09')`,
    `insert into books (id, title, price, rating, sold, in_stock, published_at, details, author_id) values
      (1, 'Arrows', 12.50, 4.5, 9007199254740993, ${yes}, '2024-01-15 10:00:00.000', '{"pages":120,"a":"é"}', 1),
      (2, 'Bread, 100% rye', 8.00, 3.25, 10, ${no}, '2024-02-20 10:00:00.000', null, 2),
      (3, 'Robots', 20.00, null, 250, ${yes}, '2024-02-29 10:00:00.000', '[]', 3),
      (4, 'Newts', 15.75, 4.75, null, ${yes}, null, '{"n":1}', 3),
      (5, 'anonymous letters', null, 2, 0, null, '2024-12-31 10:00:00.000', null, null)`,
    `insert into tags (id, name) values (1, 'classic'), (2, 'food'), (3, 'science fiction')`,
    `insert into book_tags (book_id, tag_id) values (1, 1), (2, 2), (3, 1), (3, 3), (4, 3)`,
    `insert into shelves (id, place, below_id, gone) values (1, 'hall', null, ${no}), (2, 'attic', null, ${yes}), (3, 'loft', 2, ${yes}), (4, 'shelf', 1, ${no})`,
    `insert into seals (id, mark, colour) values (1, 'lion', 'red'), (2, 'boat', 'blue')`,
    `insert into loans (id, seal_id, taken, back) values (1, 1, '2024-05-14 10:00:00.000', '2024-05-15 10:00:00.000')`,
    `insert into users (id, name, password_hash) values (1, 'ann', '${passwordHash}')`,
    ...['authors', 'books', 'tags', 'shelves', 'seals', 'loans', 'users'].map(next),
  ]
}

const tables =
  'books authors book_tags tags notes shelves seals loans users refresh_tokens idempotency_keys api_keys'

/** Creates and fills the tables; drops those of an earlier run. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are those of the script
export async function createWorld(db: Kysely<any>, kind: Tables): Promise<void> {
  for (const table of tables.split(' '))
    await sql`drop table if exists ${sql.id(table)}`.execute(db)
  for (const statement of script(kind)) await sql.raw(statement).execute(db)
}
