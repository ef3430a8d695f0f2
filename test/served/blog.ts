/**
 * A blog with a schema like that of WordPress: no foreign keys, meta tables, unsigned ids, zero dates. Its relations come from
 * a file. PostgreSQL has neither unsigned numbers nor zero dates; there, names are in lower case, ids are signed, and infinite
 * dates replace zero dates.
 */
import type { DatabaseName } from '../support/databases.ts'
import { type Fixture, type Variant, written } from './fixture.ts'

const zero = { never: "'0000-00-00 00:00:00'", no_day: "'0000-00-00'", half_day: "'2024-05-00'" }

const words: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  sqlite: {
    ...zero,
    start: '',
    id: 'integer primary key autoincrement',
    ref: 'integer not null default 0',
    moment: "datetime not null default '0000-00-00 00:00:00'",
    long: 'text',
    own_id: 'bigint unsigned not null primary key',
    huge: '9223372036854775807',
    high: '9223372036854775806',
    flag: 'boolean',
  },
  postgres: {
    never: "'-infinity'",
    no_day: "'-infinity'",
    half_day: "'infinity'",
    start: '',
    id: 'bigserial primary key',
    ref: 'bigint not null default 0',
    moment: "timestamp(0) not null default '-infinity'",
    long: 'text',
    own_id: 'bigint not null primary key',
    huge: '9223372036854775807',
    high: '9223372036854775806',
    flag: 'smallint',
  },
  mysql: {
    ...zero,
    start:
      "set sql_mode = 'NO_ENGINE_SUBSTITUTION'; alter database default collate utf8mb4_unicode_520_ci;",
    id: 'bigint(20) unsigned not null auto_increment primary key',
    ref: 'bigint(20) unsigned not null default 0',
    moment: "datetime not null default '0000-00-00 00:00:00'",
    long: 'longtext',
    own_id: 'bigint(20) unsigned not null primary key',
    huge: '18446744073709551615',
    high: '9223372036854775808',
    flag: 'tinyint(1)',
  },
}

const script = `{start}
  create table wp_users (
    ID {id}, user_login varchar(60) not null default '', user_pass varchar(255) not null default '',
    user_email varchar(100) not null default '', user_registered {moment}, user_activation_key varchar(255) not null default '',
    user_status integer not null default 0, display_name varchar(250) not null default '');
  create table wp_usermeta (umeta_id {id}, user_id {ref}, meta_key varchar(255), meta_value {long});
  create table wp_posts (
    ID {id}, post_author {ref}, post_date {moment}, post_modified {moment}, post_content {long} not null, post_title varchar(200) not null,
    post_status varchar(20) not null default 'publish', post_name varchar(200) not null default '', post_parent {ref},
    menu_order integer not null default 0, post_type varchar(20) not null default 'post', comment_count bigint not null default 0);
  create table wp_postmeta (meta_id {id}, post_id {ref}, meta_key varchar(255), meta_value {long});
  create table wp_terms (term_id {id}, name varchar(200) not null default '', slug varchar(200) not null default '');
  create table wp_term_taxonomy (
    term_taxonomy_id {id}, term_id {ref}, taxonomy varchar(32) not null default '', parent {ref}, unique (term_id, taxonomy));
  create table wp_term_relationships (
    object_id {ref}, term_taxonomy_id {ref}, term_order integer not null default 0, primary key (object_id, term_taxonomy_id));
  create table wp_comments (
    comment_ID {id}, comment_post_ID {ref}, comment_author varchar(245) not null, comment_date {moment}, comment_content text not null,
    comment_approved varchar(20) not null default '1', comment_parent {ref}, user_id {ref});
  create table wp_options (option_id {id}, option_name varchar(191) not null default '' unique, option_value {long} not null, autoload varchar(20) not null default 'yes');
  create table wp_links (link_id {own_id}, link_url varchar(255) not null, link_visible {flag}, link_updated {moment});
  create table wp_stats (day date not null, path varchar(80) not null, hits integer not null default 0);

  insert into wp_users (ID, user_login, user_pass, user_email, user_registered, user_activation_key, display_name) values
    (1, 'ada', '$P$Bnot-a-real-hash', 'ada@example.org', '2024-05-14 10:30:00', '', 'Ada'),
    (2, 'bea', '$P$Bnor-this-one', 'bea@example.org', {never}, '1715682600:$P$Bkey', 'Béa 🎈'),
    ({high}, 'cid', '', '', '2024-05-14 10:30:01', '', '');
  insert into wp_usermeta (umeta_id, user_id, meta_key, meta_value) values
    (1, 1, 'nickname', 'ada'), (2, 1, 'wp_capabilities', 'a:1:{s:13:{admin};b:1;}'), (3, 2, null, null), (4, 99, 'gone', ''),
    (5, {high}, 'nickname', 'cid');
  insert into wp_posts (ID, post_author, post_date, post_modified, post_content, post_title, post_status, post_name, post_parent, menu_order, post_type, comment_count) values
    (1, 1, '2024-05-14 10:30:00', '2024-05-14 10:30:00', '<p>Hello</p>', 'Hello', 'publish', 'hello', 0, 0, 'post', 2),
    (2, 1, '2024-05-14 10:30:00', {never}, '', 'About', 'publish', 'about', 0, 1, 'page', 0),
    (3, 2, {never}, {never}, '', '', 'auto-draft', '', 2, -1, 'page', -1),
    (4, 0, '2024-05-14 10:30:01', '2024-06-01 00:00:00', 'x', 'ÉCOLE', 'inherit', '%C3%A9cole', 1, 0, 'attachment', 0),
    ({huge}, {high}, '9999-12-31 23:59:59', '1000-01-01 00:00:00', 'last', 'école', 'publish', 'last', 3, 0, 'post', 9223372036854775807);
  insert into wp_postmeta (meta_id, post_id, meta_key, meta_value) values
    (1, 1, '_edit_lock', '1715682600:1'), (2, 1, '_edit_last', '1'), (3, {huge}, 'rating', '4.5'), (4, 77, 'of nobody', null);
  insert into wp_terms (term_id, name, slug) values (1, 'Uncategorized', 'uncategorized'), (2, 'Новости', '%d0%bd'), (3, 'news', 'news');
  insert into wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, parent) values (1, 1, 'category', 0), (2, 2, 'category', 1), (3, 3, 'post_tag', 0), (4, 3, 'category', 2);
  insert into wp_term_relationships values (1, 1, 0), (1, 3, 1), (2, 2, 0), ({huge}, 4, 0), (55, 1, 0);
  insert into wp_comments (comment_ID, comment_post_ID, comment_author, comment_date, comment_content, comment_approved, comment_parent, user_id) values
    (1, 1, 'A reader', '2024-05-14 11:00:00', 'First!', '1', 0, 0), (2, 1, 'ada', '2024-05-14 11:00:00', 'Second.', 'spam', 1, 1),
    (3, {huge}, '', {never}, '', '0', 2, {high});
  insert into wp_options (option_id, option_name, option_value) values (1, 'siteurl', 'https://example.org'), (2, 'blogname', ''), (3, 'cron', 'a:0:{}'), (4, 'Émile', 'x');
  insert into wp_links values (7, 'https://example.org/?a=1&b=2', 1, {never}), ({huge}, '', 0, '2024-05-14 10:30:00'), ({high}, 'x', null, {never});
  insert into wp_stats values ('2024-05-14', '/', 3), ('2024-05-14', '/', 3), ({no_day}, '', 0), ({half_day}, '/a', -1);
  create view wp_published as select ID, post_title, post_author, post_date from wp_posts where post_status = 'publish';
  create view wp_bylines as select post_author as author_id, post_status from wp_posts;
  create view wp_comments_by_post as
    select p.ID as post_id, p.post_title, count(c.comment_ID) as comments
    from wp_posts p left join wp_comments c on c.comment_post_ID = p.ID group by p.ID, p.post_title;`

/** The relations that plugins of such a blog assume. */
const relations = `
  wp_usermeta.user_id -> wp_users.ID
  wp_posts.post_author -> wp_users.ID
  wp_posts.post_parent -> wp_posts.ID   # 0: none
  wp_postmeta.post_id -> wp_posts.ID
  wp_term_taxonomy.term_id -> wp_terms.term_id
  wp_term_taxonomy.parent -> wp_terms.term_id
  wp_term_relationships.object_id -> wp_posts.ID
  wp_term_relationships.term_taxonomy_id -> wp_term_taxonomy.term_taxonomy_id
  wp_comments.comment_post_ID -> wp_posts.ID
  wp_comments.comment_parent -> wp_comments.comment_ID
  wp_comments.user_id -> wp_users.ID
  wp_bylines.author_id -> wp_users.ID   # a list of which no column is a key
  wp_comments_by_post.post_id -> wp_posts.ID`

const credential = 'a credential: nobody is shown it unless a model declares it'

const variant = (name: DatabaseName): Variant => ({
  script: written(name, script, { ...words[name], admin: '"administrator"' }),
  // PostgreSQL folds unquoted names to lower case.
  relations: name === 'postgres' ? relations.toLowerCase() : relations,
  options: ['--key', 'wp_comments_by_post=post_id'],
  leftOut: { 'wp_users.user_pass': credential, 'wp_users.user_activation_key': credential },
})

export const blog: Fixture = {
  name: 'a blog',
  variants: {
    sqlite: variant('sqlite'),
    postgres: variant('postgres'),
    mysql: variant('mysql'),
  },
}
