/**
 * An issue tracker with a schema like those of Ruby on Rails: timestamps, polymorphic columns, documents, tables of migrations;
 * on PostgreSQL also arrays, citext and user-defined types.
 */
import type { DatabaseName } from '../support/databases.ts'
import { type Fixture, type Variant, written } from './fixture.ts'

const words: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  sqlite: {
    start: '',
    id: 'integer primary key autoincrement not null',
    big: 'bigint',
    ref: 'integer',
    moment: 'datetime(6)',
    ci: 'varchar collate nocase',
    json: 'json',
    flag: 'boolean',
    uuid: 'varchar(36)',
    enum: 'integer',
    no: '0',
    yes: '1',
    label_type: 'json',
    labels_a: `'["bug","später, ja","NULL",""]'`,
    labels_b: `'[]'`,
    scores_a: `'[1,null,3]'`,
    grid: `'[[1,2],[3,4]]'`,
    state_open: '0',
    state_shut: '1',
  },
  mysql: {
    start: 'alter database default collate utf8mb4_general_ci;',
    id: 'bigint auto_increment primary key',
    big: 'bigint',
    ref: 'bigint',
    moment: 'datetime(6)',
    ci: 'varchar(255)',
    json: 'json',
    flag: 'tinyint(1)',
    uuid: 'varchar(36)',
    enum: 'integer',
    no: '0',
    yes: '1',
    label_type: 'json',
    labels_a: `'["bug","später, ja","NULL",""]'`,
    labels_b: `'[]'`,
    scores_a: `'[1,null,3]'`,
    grid: `'[[1,2],[3,4]]'`,
    state_open: '0',
    state_shut: '1',
  },
  postgres: {
    start: `
      create extension citext;
      create type issue_state as enum ('open', 'in progress', 'shut');
      create domain positive as integer check (value > 0);
      create type address as (street text, zip text);`,
    id: 'bigserial primary key',
    big: 'bigint',
    ref: 'bigint',
    moment: 'timestamp(6) without time zone',
    ci: 'citext',
    json: 'jsonb',
    flag: 'boolean',
    uuid: 'uuid',
    enum: 'issue_state',
    no: 'false',
    yes: 'true',
    label_type: 'varchar[]',
    labels_a: `'{"bug","später, ja","NULL",""}'`,
    labels_b: `'{}'`,
    scores_a: `'{1,NULL,3}'`,
    grid: `'{{1,2},{3,4}}'`,
    state_open: `'open'`,
    state_shut: `'shut'`,
  },
}

const script = `{start}
  create table schema_migrations (version varchar(255) not null primary key);
  create table ar_internal_metadata («key» varchar(255) not null primary key, value varchar(255), created_at {moment} not null, updated_at {moment} not null);
  create table users (
    id {id}, email {ci} not null, encrypted_password varchar(128) default '' not null, reset_password_token varchar(100), sign_in_count integer default 0 not null,
    current_sign_in_ip varchar(45), admin {flag} default {no} not null, settings {json}, created_at {moment} not null, updated_at {moment} not null);
  create unique index index_users_on_email on users (email);
  create table projects (id {id}, owner_id {ref} not null, slug varchar(80) not null, archived_at {moment}, created_at {moment} not null, updated_at {moment} not null,
    constraint fk_owner foreign key (owner_id) references users (id));
  create unique index index_projects_on_slug on projects (slug);
  create table issues (
    id {id}, project_id {ref} not null, assignee_id {ref}, author_id {ref} not null, parent_id {ref}, number integer not null, title varchar(200) not null, body text, state {enum} not null,
    type varchar(80), labels {label_type} not null, scores {scores}, due_on date, estimate decimal(8,2), lock_version integer default 0 not null,
    created_at {moment} not null, updated_at {moment} not null,
    constraint fk_project foreign key (project_id) references projects (id), constraint fk_assignee foreign key (assignee_id) references users (id),
    constraint fk_author foreign key (author_id) references users (id), constraint fk_parent foreign key (parent_id) references issues (id));
  create unique index index_issues_on_project_id_and_number on issues (project_id, number);
  create table comments (
    id {id}, commentable_type varchar(80) not null, commentable_id {ref} not null, author_id {ref}, body text not null, created_at {moment} not null, updated_at {moment} not null,
    constraint fk_comment_author foreign key (author_id) references users (id));
  create table attachments (id {id}, name varchar(80) not null, record_type varchar(80) not null, record_id {ref} not null, blob_id {ref} not null, created_at {moment} not null);
  create table blobs (id {id}, «key» varchar(80) not null, filename varchar(200) not null, byte_size {big} not null, checksum varchar(80), metadata text);
  create table memberships (project_id {ref} not null, user_id {ref} not null, role varchar(20) default 'member' not null, created_at {moment} not null,
    constraint fk_member_project foreign key (project_id) references projects (id), constraint fk_member foreign key (user_id) references users (id));
  create unique index index_memberships_on_project_and_user on memberships (project_id, user_id);
  create table issues_watchers (issue_id {ref} not null, user_id {ref} not null,
    constraint fk_watched foreign key (issue_id) references issues (id), constraint fk_watcher foreign key (user_id) references users (id));
  create table profiles (id {id}, user_id {ref} not null, bio text, constraint fk_profile foreign key (user_id) references users (id));
  create unique index index_profiles_on_user_id on profiles (user_id);
  create table api_keys (id {id}, user_id {ref}, token varchar(80), constraint fk_key_user foreign key (user_id) references users (id));

  insert into schema_migrations values ('20240514103000'), ('20240514103001');
  insert into ar_internal_metadata values ('environment', 'production', '2024-05-14 10:30:00.123456', '2024-05-14 10:30:00.123456');
  insert into users (id, email, encrypted_password, sign_in_count, current_sign_in_ip, admin, settings, created_at, updated_at) values
    (1, 'Ada@Example.org', 'x', 3, '10.0.0.1', {yes}, '{"theme": "dark", "n": 1.10, "nested": {"z": [], "a": null}}', '2024-05-14 10:30:00.123456', '2024-05-14 10:30:00.123457'),
    (2, 'bea@example.org', '', 0, null, {no}, null, '2024-05-14 10:30:00.123', '2024-05-14 10:30:00'),
    (3, 'çem@example.org', '', -1, '::1', {no}, '[]', '1999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999');
  insert into projects (id, owner_id, slug, archived_at, created_at, updated_at) values
    (1, 1, 'api', null, '2024-05-14 10:30:00', '2024-05-14 10:30:00'), (2, 3, 'web/ui & more', '2024-05-14 10:30:00.000001', '2024-05-14 10:30:00', '2024-05-14 10:30:00');
  insert into issues (id, project_id, assignee_id, author_id, parent_id, number, title, body, state, type, labels, scores, due_on, estimate, created_at, updated_at) values
    (1, 1, null, 1, null, 1, 'First', null, {state_open}, null, {labels_a}, {scores_a}, '2024-05-14', 1.5, '2024-05-14 10:30:00.1', '2024-05-14 10:30:00.2'),
    (2, 1, 2, 1, 1, 2, 'Zweite 🎈', '', {state_shut}, 'Bug', {labels_b}, {grid}, null, null, '2024-05-14 10:30:00.1', '2024-05-14 10:30:00.2'),
    (3, 2, 2, 3, 2, 1, '', 'a
b', {state_open}, 'Bug', {labels_b}, null, '0001-01-01', -999999.99, '2024-05-14 10:30:00.100001', '2024-05-14 10:30:00.2');
  insert into comments (id, commentable_type, commentable_id, author_id, body, created_at, updated_at) values
    (1, 'Issue', 1, 1, 'On an issue', '2024-05-14 10:30:00', '2024-05-14 10:30:00'), (2, 'Project', 1, null, 'On a project', '2024-05-14 10:30:00', '2024-05-14 10:30:00'), (3, 'Issue', 99, 2, '', '2024-05-14 10:30:00', '2024-05-14 10:30:00');
  insert into attachments (id, name, record_type, record_id, blob_id, created_at) values (1, 'file', 'Issue', 1, 1, '2024-05-14 10:30:00'), (2, 'file', 'User', 3, 2, '2024-05-14 10:30:00');
  insert into blobs (id, «key», filename, byte_size, checksum, metadata) values (1, 'abc', 'a b.png', 9223372036854775807, 'q==', '{"width":1}'), (2, 'def', 'ж.txt', 0, null, null);
  insert into memberships values (1, 1, 'owner', '2024-05-14 10:30:00'), (1, 2, 'member', '2024-05-14 10:30:00.5'), (2, 3, 'owner', '2024-05-14 10:30:00');
  insert into issues_watchers values (1, 1), (1, 2), (2, 2), (1, 1);
  insert into profiles (id, user_id, bio) values (1, 1, 'Mathematician'), (2, 3, null);
  insert into api_keys (id, user_id, token) values (1, 1, 'not-shown');`

/** Parts that only PostgreSQL has. */
const postgresOnly = `
  create table devices (
    id uuid primary key default gen_random_uuid(), user_id bigint references users (id) deferrable initially deferred, address inet, mac macaddr, names citext[], states issue_state[],
    seen timestamptz[], days date[], amounts numeric(8,2)[], flags boolean[], tags text[], big bigint[], ids uuid[], docs jsonb[], at point, span tstzrange, every interval,
    place address, level positive, raw bytea, note char(5), search tsvector generated always as (to_tsvector('simple', coalesce(note, ''))) stored);
  insert into devices values
    ('6f1ed002-ab59-4b2c-9c1e-9a3e0a5c1a11', 1, '10.0.0.0/8', '08:00:2b:01:02:03', '{Ada,ADA}', '{open,NULL,"in progress"}', '{"2024-05-14 10:30:00.123456+02",infinity}',
      '{2024-05-14,-infinity}', '{1.5,NaN,NULL}', '{t,f,NULL}', '{"a\\"b\\\\c","{x}"," ",null}', '{9007199254740993,-1}', '{6F1ED002-AB59-4B2C-9C1E-9A3E0A5C1A11}', array['{"a": 1}'::jsonb],
      '(1,2)', '[2024-01-01,)', '1 mon 2 days', row('Main', '1'), 3, '\\xdeadbeef', 'ab'),
    ('AAAAAAAA-0000-4000-8000-000000000001', null, null, null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, 'empty', '00:00:00', null, null, '', ''),
    ('aaaaaaaa-0000-4000-8000-000000000002', 3, '::1', null, null, null, null, null, '[0:1]={1,2}', null, '{{a,b},{c,NULL}}', null, null, null, null, null, '-1 day', row(null, ''), 1, null, null);
  create table audits (id bigserial, happened_at timestamptz not null, change jsonb not null default '{}', amount numeric) partition by list (id);
  create table audits_all partition of audits default;
  insert into audits values (1, '0044-03-15 00:00:00+00 BC', '{"n": 1e400, "big": 12345678901234567890}', 1e30), (2, 'infinity', '"text"', 'NaN'), (1, '12024-01-01 00:00:00+00', 'null', 0.10);
  create materialized view issue_counts as select project_id, count(*) as issues, array_agg(distinct title) as titles from issues group by project_id;
  create unique index on issue_counts (project_id);
  create view open_issues as select * from issues where state = 'open';
  create view people as select u.id, u.email, p.bio, u.encrypted_password from users u left join profiles p on p.user_id = u.id;`

const scores: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'json',
  mysql: 'json',
  postgres: 'integer[]',
}

const credential = 'a credential: nobody is shown it unless a model declares it'
const migrations = 'the book-keeping of migrations, which --only schema_migrations would read'

const leftOut = {
  schema_migrations: migrations,
  ar_internal_metadata: migrations,
  issues_watchers: 'pairs of two others: a many-to-many relation of both shows its rows',
  api_keys: 'a table of credentials, which --only api_keys would publish without its token',
  'users.encrypted_password': credential,
  'users.reset_password_token': credential,
}

const variant = (name: DatabaseName, more: Omit<Variant, 'script'>): Variant => ({
  script: written(name, script + (name === 'postgres' ? postgresOnly : ''), {
    ...words[name],
    scores: scores[name],
  }),
  relations: 'attachments.blob_id -> blobs.id',
  ...more,
})

export const tracker: Fixture = {
  name: 'a tracker',
  variants: {
    sqlite: variant('sqlite', { leftOut }),
    mysql: variant('mysql', { leftOut }),
    postgres: variant('postgres', {
      leftOut: {
        ...leftOut,
        audits_all: 'a partition: its rows are those of the table that is served',
        'people.encrypted_password': credential,
      },
    }),
  },
}
