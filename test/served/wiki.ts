/**
 * A wiki in the manner of MediaWiki: every text is bytes (`varbinary`, on SQLite texts in BLOB columns), times are texts of 14 digits, names
 * of columns begin with those of their tables, keys of an integer and bytes, and negative namespaces. MariaDB, MySQL and SQLite have it.
 */
import type { DatabaseName } from '../support/databases.ts'
import { type Fixture, type Variant, written } from './fixture.ts'

type Engine = Exclude<DatabaseName, 'postgres'>

const words: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  mysql: {
    start: 'alter database default character set binary;',
    id: 'int unsigned auto_increment not null',
    big: 'bigint unsigned auto_increment not null',
    ref: 'int unsigned not null',
    big_ref: 'bigint unsigned not null',
    bytes: 'varbinary(255)',
    moment: 'binary(14)',
    double: 'double unsigned',
    long: 'mediumblob',
    flag: 'tinyint unsigned',
    media: "enum('UNKNOWN', 'BITMAP', 'AUDIO')",
  },
  sqlite: {
    start: '',
    id: 'integer primary key autoincrement not null',
    big: 'integer primary key autoincrement not null',
    ref: 'integer unsigned not null',
    big_ref: 'bigint unsigned not null',
    bytes: 'blob',
    moment: 'blob',
    double: 'double precision',
    long: 'blob',
    flag: 'smallint unsigned',
    media: 'text',
  },
}

const script = `{start}
  create table actor (actor_id {big}, actor_user integer, actor_name {bytes} not null{key:actor_id});
  create table page (
    page_id {id}, page_namespace integer not null, page_title {bytes} not null, page_is_redirect {flag} default 0 not null, page_is_new {flag} default 0 not null,
    page_random {double} not null, page_touched {moment} not null, page_latest {ref}, page_len {ref}, page_content_model {bytes}{key:page_id});
  create unique index page_name_title on page (page_namespace, page_title);
  create table revision (
    rev_id {big}, rev_page {ref}, rev_comment_id {big_ref}, rev_actor {big_ref}, rev_timestamp {moment} not null, rev_minor_edit {flag} default 0 not null,
    rev_deleted {flag} default 0 not null, rev_len integer, rev_parent_id bigint, rev_sha1 {bytes} not null{key:rev_id});
  create table comment (comment_id {big}, comment_hash integer not null, comment_text {bytes} not null, comment_data {bytes}{key:comment_id});
  create table text (old_id {id}, old_text {long} not null, old_flags {bytes} not null{key:old_id});
  create table content (content_id {big}, content_size integer not null, content_model smallint not null, content_address {bytes} not null{key:content_id});
  create table content_models (model_id {id}, model_name {bytes} not null{key:model_id});
  create table slot_roles (role_id {id}, role_name {bytes} not null{key:role_id});
  create table slots (
    slot_revision_id {big_ref}, slot_role_id smallint not null, slot_content_id {big_ref}, slot_origin {big_ref}, primary key (slot_revision_id, slot_role_id));
  create table categorylinks (
    cl_from integer default 0 not null, cl_to {bytes} not null, cl_sortkey {bytes} not null, cl_timestamp timestamp not null default current_timestamp, primary key (cl_from, cl_to));
  create table linktarget (lt_id {big}, lt_namespace integer not null, lt_title {bytes} not null{key:lt_id});
  create table pagelinks (pl_from integer default 0 not null, pl_target_id {big_ref}, pl_from_namespace integer default 0 not null, primary key (pl_from, pl_target_id));
  create table page_props (pp_page integer not null, pp_propname {bytes} not null, pp_value {long} not null, pp_sortkey float, primary key (pp_page, pp_propname));
  create table user (
    user_id {id}, user_name {bytes} not null, user_real_name {bytes} not null, user_password {long} not null, user_email {bytes} not null,
    user_touched {moment} not null, user_registration {moment}, user_editcount {flag}{key:user_id});
  create table user_groups (ug_user integer default 0 not null, ug_group {bytes} not null, ug_expiry {moment}, primary key (ug_user, ug_group));
  create table image (
    img_name {bytes} not null, img_size bigint not null default 0, img_width integer default 0 not null, img_metadata {long} not null, img_bits integer default 0 not null,
    img_media_type {media}, img_timestamp {moment} not null, primary key (img_name));
  create table interwiki (iw_prefix {bytes} not null, iw_url {long} not null, iw_local {flag} not null, primary key (iw_prefix));
  create table site_stats (ss_row_id {id}, ss_total_edits bigint, ss_good_articles bigint{key:ss_row_id});
  create table querycache (qc_type {bytes} not null, qc_value {ref}, qc_namespace integer not null, qc_title {bytes} not null);

  insert into actor (actor_id, actor_user, actor_name) values (1, 1, 'Admin'), (2, null, '127.0.0.1'), (3, 0, 'MediaWiki default');
  insert into page (page_id, page_namespace, page_title, page_random, page_touched, page_latest, page_len, page_content_model) values
    (1, 0, 'Main_Page', 0.123456789012, '20240514103000', 2, 735, null), (2, -1, 'Žluťoučký_kůň', 0.5, '20240514103001', 3, 0, 'wikitext'), (3, 10, 'A/b,c"', 0, '20240514103001', 99, 4294967295, 'json');
  insert into revision (rev_id, rev_page, rev_comment_id, rev_actor, rev_timestamp, rev_minor_edit, rev_len, rev_parent_id, rev_sha1) values
    (1, 1, 1, 3, '20240514103000', 0, 735, 0, 'a5wehuldd0go2uniagwvx66n6c80irq'), (2, 1, 2, 1, '20240514103000', 1, 740, 1, ''), (3, 2, 1, 2, '00010101000000', 0, null, null, '');
  insert into comment (comment_id, comment_hash, comment_text, comment_data) values (1, 0, '', null), (2, -1234567890, '/* Úvod */ ok', '{"key":"x"}');
  insert into text (old_id, old_text, old_flags) values (1, '<strong>Installed.</strong>', 'utf-8'), (2, x'789c0300000000ff', 'gzip,utf-8'), (3, '', '');
  insert into content (content_id, content_size, content_model, content_address) values (1, 735, 1, 'tt:1'), (2, 740, 1, 'tt:2'), (3, 0, 2, 'es:DB://cluster1/1');
  insert into content_models (model_id, model_name) values (1, 'wikitext');
  insert into slot_roles (role_id, role_name) values (1, 'main'), (2, 'meta');
  insert into slots values (1, 1, 1, 1), (2, 1, 2, 2), (2, 2, 3, 2), (3, 1, 3, 3);
  insert into categorylinks (cl_from, cl_to, cl_sortkey, cl_timestamp) values (1, 'Help', 'MAIN PAGE', '2024-05-14 10:30:00'), (1, 'help', x'00ff', '2024-05-14 10:30:01'), (9, 'Žluť', '', '2024-05-14 10:30:00');
  insert into linktarget (lt_id, lt_namespace, lt_title) values (1, 0, 'Main_Page'), (2, 4, 'About');
  insert into pagelinks values (2, 1, -1), (3, 1, 10), (3, 2, 10), (8, 2, 0);
  insert into page_props values (1, 'defaultsort', 'x', 1.5), (1, 'notoc', '', null), (2, 'notoc', '', null);
  insert into user (user_id, user_name, user_real_name, user_password, user_email, user_touched, user_registration, user_editcount) values
    (1, 'Admin', '', ':pbkdf2:not-a-hash', 'admin@example.org', '20240514103000', '20240514103000', 2), (2, 'Žofie', 'Žofie', '', '', '20240514103001', null, null);
  insert into user_groups values (1, 'bureaucrat', null), (1, 'sysop', null), (2, 'sysop', '20300101000000');
  insert into image values ('A_b.png', 123456789012, 640, '{"data":[]}', 8, 'BITMAP', '20240514103000'), ('Žába.ogg', 0, 0, x'00', 0, 'AUDIO', '20240514103000'), ('', 1, 0, '', 0, null, '20240514103001');
  insert into interwiki values ('wikipedia', 'https://en.wikipedia.org/wiki/$1', 0), ('meta', '', 1);
  insert into site_stats (ss_row_id, ss_total_edits, ss_good_articles) values (1, 9223372036854775807, null);
  insert into querycache values ('Deadendpages', 0, 0, 'Main_Page'), ('Deadendpages', 0, 0, 'Main_Page'), ('x', 5, -2, '');`

const relations = `
  actor.actor_user -> user.user_id
  revision.rev_page -> page.page_id
  revision.rev_comment_id -> comment.comment_id
  revision.rev_actor -> actor.actor_id
  revision.rev_parent_id -> revision.rev_id
  page.page_latest -> revision.rev_id
  slots.slot_revision_id -> revision.rev_id
  slots.slot_role_id -> slot_roles.role_id
  slots.slot_content_id -> content.content_id
  content.content_model -> content_models.model_id
  categorylinks.cl_from -> page.page_id
  pagelinks.pl_from -> page.page_id
  pagelinks.pl_target_id -> linktarget.lt_id
  page_props.pp_page -> page.page_id
  user_groups.ug_user -> user.user_id`

const credential = 'a credential: nobody is shown it unless a model declares it'

/** SQLite writes the key into the column. */
const keyed = (name: Engine): string =>
  script.replace(/\{key:(\w+)\}/g, name === 'sqlite' ? '' : ', primary key ($1)')

const variant = (name: Engine): Variant => ({
  script: written(name, keyed(name), words[name]),
  relations,
  leftOut: { 'user.user_password': credential },
  // Elsewhere the key is bytes, which no URL contains.
  ...(name === 'sqlite' ? { withoutUrl: { image: ['[""]'] } } : {}),
})

export const wiki: Fixture = {
  name: 'a wiki',
  variants: { sqlite: variant('sqlite'), mysql: variant('mysql') },
  usual: 'sqlite',
}
