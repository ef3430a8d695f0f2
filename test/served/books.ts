/**
 * A library of books in the manner of calibre: texts under NOCASE, TIMESTAMP columns with offsets, a BOOL column, JSON in texts, covers as
 * BLOBs, and link tables with a key of their own and a unique pair. Only SQLite has it.
 */
import type { Fixture } from './fixture.ts'

const script = `
  create table authors (id integer primary key, name text not null collate nocase, sort text collate nocase, link text not null default '', unique (name));
  create table series (id integer primary key, name text not null collate nocase, sort text collate nocase, unique (name));
  create table tags (id integer primary key, name text not null collate nocase, unique (name));
  create table ratings (id integer primary key, rating integer check (rating > -1 and rating < 11), unique (rating));
  create table books (
    id integer primary key autoincrement, title text not null default 'Unknown' collate nocase, sort text collate nocase,
    timestamp timestamp default current_timestamp, pubdate timestamp default current_timestamp, series_index real not null default 1.0,
    author_sort text collate nocase, path text not null default '', uuid text, has_cover bool default 0, last_modified timestamp not null default '2000-01-01 00:00:00+00:00');
  create table books_authors_link (
    id integer primary key, book integer not null references books (id), author integer not null references authors (id), unique (book, author));
  create table books_tags_link (
    id integer primary key, book integer not null references books (id), tag integer not null references tags (id), unique (book, tag));
  create table books_series_link (id integer primary key, book integer not null references books (id), series integer not null references series (id), unique (book));
  create table books_ratings_link (id integer primary key, book integer not null references books (id), rating integer not null references ratings (id), unique (book, rating));
  create table comments (id integer primary key, book integer not null references books (id), text text not null collate nocase, unique (book));
  create table data (
    id integer primary key, book integer not null references books (id), format text not null collate nocase, uncompressed_size integer not null,
    name text not null, unique (book, format));
  create table covers (id integer primary key, book integer not null references books (id), image blob);
  create table preferences (id integer primary key, key text not null, val text not null, unique (key));
  create view tag_counts as
    select t.id as id, t.name as name, count(l.id) as count from tags t left join books_tags_link l on l.tag = t.id group by t.id;

  insert into authors values (1, 'Karel Čapek', 'Čapek, Karel', ''), (2, 'ADA', 'ada', 'https://example.org/?a=1&b=2'), (3, 'Unknown', null, '');
  insert into series values (1, 'The Trilogy', 'Trilogy, The');
  insert into tags values (1, 'Fiction'), (2, 'robots'), (3, 'a/b, "c"'), (4, 'empty');
  insert into ratings values (1, 0), (2, 10), (3, null), (4, 6);
  insert into books values
    (1, 'R.U.R.', 'R.U.R.', '2024-05-14 10:30:00+00:00', '1920-11-01 00:00:00+00:00', 1.0, 'Čapek, Karel', 'Karel/RUR (1)', '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01', 1, '2024-05-14 10:30:00.123456+00:00'),
    (2, 'r.u.r.', null, '2024-05-14 12:30:00+02:00', '0101-01-01 00:00:00+00:00', 0.5, null, '', null, 0, '2000-01-01 00:00:00+00:00'),
    (3, 'War with the Newts', 'War', '2024-05-14 10:30:01+00:00', null, 2.75, 'čapek, karel', 'x', 'not a uuid', null, '2024-05-14 10:30:00+00:00');
  insert into books_authors_link values (1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 3, 2);
  insert into books_tags_link values (1, 1, 1), (2, 1, 2), (3, 3, 1), (4, 3, 3);
  insert into books_series_link values (7, 1, 1), (8, 3, 1);
  insert into books_ratings_link values (1, 1, 2), (2, 2, 3);
  insert into comments values (1, 1, '<p>Robots</p>'), (2, 3, '');
  insert into data values (1, 1, 'EPUB', 123456789012, 'rur'), (2, 1, 'pdf', 0, 'rur'), (3, 2, 'EPUB', 1, '');
  insert into covers values (1, 1, x'ffd8ff00'), (2, 2, null), (3, 3, x'');
  insert into preferences values (1, 'bools_are_tristate', 'true'), (2, 'field_metadata', '{"a": [1, 2]}'), (3, 'Émile', '""');`

export const books: Fixture = {
  name: 'a library of books',
  variants: { sqlite: { script } },
}
