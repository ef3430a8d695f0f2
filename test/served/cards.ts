/**
 * A collection of cards in the manner of Anki: keys that are milliseconds, short names, an INTEGER column with texts, JSON and joined
 * fields in texts, and a table without a key. Only SQLite has it.
 */
import type { Fixture } from './fixture.ts'

const script = `
  create table col (
    id integer primary key, crt integer not null, mod integer not null, scm integer not null, ver integer not null, dty integer not null,
    usn integer not null, ls integer not null, conf text not null, models text not null, decks text not null, tags text not null);
  create table notes (
    id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null, tags text not null,
    flds text not null, sfld integer not null, csum integer not null, flags integer not null, data text not null);
  create table cards (
    id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null, usn integer not null,
    type integer not null, queue integer not null, due integer not null, ivl integer not null, factor integer not null, data text not null);
  create table revlog (
    id integer primary key, cid integer not null, usn integer not null, ease integer not null, ivl integer not null, time integer not null, type integer not null);
  create table graves (usn integer not null, oid integer not null, type integer not null);
  create index ix_notes_usn on notes (usn);
  create index ix_notes_csum on notes (csum);
  create index ix_cards_nid on cards (nid);
  create index ix_revlog_cid on revlog (cid);

  insert into col values (1, 1388548800, 1715682600123, 1715682600000, 11, 0, -1, 0, '{"nextPos": 1, "estTimes": true}', '{}', '{"1": {"name": "Grundschule"}}', '');
  insert into notes values
    (1715682600001, 'p{G|x"', 1342697561419, 1715682601, -1, ' marked  leech ', 'la mère' || char(31) || 'mother', 'la mère', 2711398431, 0, ''),
    (1715682600002, 'Q]y?=', 1342697561419, 1715682602, 7, '', '12' || char(31) || 'twelve', 12, 123456, 0, '{"a": 1}'),
    (1715682600003, 'zz', 1342697561420, 1715682603, 7, 'x', '<img src="a.png">' || char(31), '', 0, 0, ''),
    (1715682600004, 'Ωmega', 1342697561420, 1715682604, 8, 'x', '10' || char(31), 10, 4294967295, 0, '');
  insert into cards values
    (1715682600011, 1715682600001, 1, 0, 1715682601, -1, 0, 0, 1, 0, 0, ''), (1715682600012, 1715682600001, 1, 1, 1715682601, -1, 2, -1, 700, 30, 2500, ''),
    (1715682600013, 1715682600002, 1715682600999, 0, 1715682602, 7, 2, 2, -5, 21, 1300, '{"s": 3.17}');
  insert into revlog values (1715682700001, 1715682600011, -1, 3, -600, 8123, 0), (1715682700002, 1715682600012, -1, 1, 30, 60000, 1), (1715682700003, 99, 7, 0, 0, 0, 4);
  insert into graves values (-1, 1715682600077, 1), (-1, 1715682600077, 1), (7, 1715682600078, 2);`

const relations = `
  cards.nid -> notes.id
  revlog.cid -> cards.id`

export const cards: Fixture = {
  name: 'a collection of cards',
  variants: { sqlite: { script, relations } },
}
