// The database and its tables.

import Sqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database } from './models.ts'

/** The names of these types in the database. */
export interface Types {
  readonly uuid: string
  readonly datetime: string
}

const tables = ({ uuid, datetime }: Types): readonly string[] => [
  `create table if not exists organisations (id ${uuid} primary key, name varchar(80) not null)`,
  `create table if not exists members (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    name varchar(80) not null,
    email varchar(120) not null unique,
    role varchar(10) not null,
    password_hash varchar(60),
    invitation ${uuid}
  )`,
  `create table if not exists sessions (
    token_hash varchar(64) primary key,
    csrf_token ${uuid} not null,
    member_id ${uuid} not null references members (id),
    expires bigint not null
  )`,
  `create table if not exists projects (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    name varchar(80) not null,
    issue_count integer not null,
    deleted_at ${datetime} null
  )`,
  `create table if not exists issues (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    project_id ${uuid} not null references projects (id),
    number integer not null,
    title varchar(200) not null,
    state varchar(10) not null,
    estimate integer,
    author_id ${uuid} not null references members (id),
    assignee_id ${uuid} references members (id),
    created ${datetime} not null,
    updated ${datetime} not null,
    deleted_at ${datetime} null,
    unique (project_id, number)
  )`,
  `create table if not exists labels (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    name varchar(40) not null,
    unique (organisation_id, name)
  )`,
  `create table if not exists issue_labels (
    issue_id ${uuid} not null references issues (id),
    label_id ${uuid} not null references labels (id),
    primary key (issue_id, label_id)
  )`,
  `create table if not exists comments (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    issue_id ${uuid} not null references issues (id),
    author_id ${uuid} not null references members (id),
    text text not null,
    created ${datetime} not null,
    deleted_at ${datetime} null
  )`,
  `create table if not exists audit_entries (
    id ${uuid} primary key,
    organisation_id ${uuid} not null references organisations (id),
    member_id ${uuid} not null references members (id),
    action varchar(10) not null,
    model varchar(40) not null,
    record_id ${uuid} not null,
    at ${datetime} not null default current_timestamp
  )`,
]

export async function createTables(db: Kysely<Database>, types: Types): Promise<void> {
  for (const table of tables(types)) await sql.raw(table).execute(db)
}

/** Statements take at most five seconds, and a connection that breaks does not end the process. */
function poolOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, statement_timeout: 5000, options: '-c jit=off' })
  pool.on('error', console.error)
  pool.on('connect', (client) => client.on('error', console.error))
  return pool
}

/** Opens PostgreSQL, or a file of SQLite; creates missing tables. */
export async function openDatabase(url = 'tracker.sqlite'): Promise<Kysely<Database>> {
  const postgres = /^postgres(ql)?:/.test(url)
  const dialect = postgres
    ? new PostgresDialect({ pool: poolOf(url) })
    : new SqliteDialect({ database: new Sqlite(url) })
  const db = new Kysely<Database>({ dialect })
  await createTables(db, { uuid: 'uuid', datetime: postgres ? 'timestamptz' : 'datetime' })
  await sql`create index if not exists comments_issue on comments (issue_id)`.execute(db)
  return db
}
