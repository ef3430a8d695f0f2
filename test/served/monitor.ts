/**
 * A monitoring system in the manner of Zabbix: large integer keys (unsigned on MySQL and MariaDB) that no sequence makes, histories with keys
 * of three columns and times as seconds, events that refer to rows of several tables, a hierarchy of templates, and images as bytes.
 */
import type { DatabaseName } from '../support/databases.ts'
import { type Fixture, type Variant, written } from './fixture.ts'

type Engine = Exclude<DatabaseName, 'sqlite'>

const words: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  postgres: {
    start: '',
    id: 'bigint',
    numeric: 'numeric(20)',
    double: 'double precision',
    image: 'bytea',
    bytes_a: "'\\x89504e47'",
    bytes_b: "''",
    // The largest key there.
    huge: '9223372036854775807',
    most: '18446744073709551615',
  },
  mysql: {
    start: 'alter database default character set utf8mb4 collate utf8mb4_bin;',
    id: 'bigint unsigned',
    numeric: 'bigint unsigned',
    double: 'double',
    image: 'longblob',
    bytes_a: "x'89504e47'",
    bytes_b: "''",
    huge: '18446744073709551615',
    most: '18446744073709551615',
  },
}

const script = `{start}
  create table role (roleid {id} not null, name varchar(255) default '' not null, type integer default 0 not null, readonly integer default 0 not null, primary key (roleid));
  create unique index role_1 on role (name);
  create table users (
    userid {id} not null, username varchar(100) default '' not null, name varchar(100) default '' not null, passwd varchar(60) default '' not null,
    autologin integer default 0 not null, lang varchar(7) default 'default' not null, refresh varchar(32) default '30s' not null,
    attempt_clock integer default 0 not null, roleid {id}, primary key (userid), constraint c_users_1 foreign key (roleid) references role (roleid) on delete cascade);
  create unique index users_1 on users (username);
  create table hosts (
    hostid {id} not null, host varchar(128) default '' not null, status integer default 0 not null, name varchar(128) default '' not null,
    flags integer default 0 not null, templateid {id}, description text not null, uuid varchar(32) default '' not null, primary key (hostid),
    constraint c_hosts_3 foreign key (templateid) references hosts (hostid) on delete cascade);
  create table hstgrp (groupid {id} not null, name varchar(255) default '' not null, uuid varchar(32) default '' not null, primary key (groupid));
  create table hosts_groups (
    hostgroupid {id} not null, hostid {id} not null, groupid {id} not null, primary key (hostgroupid),
    constraint c_hosts_groups_1 foreign key (hostid) references hosts (hostid) on delete cascade,
    constraint c_hosts_groups_2 foreign key (groupid) references hstgrp (groupid) on delete cascade);
  create unique index hosts_groups_1 on hosts_groups (hostid, groupid);
  create table items (
    itemid {id} not null, type integer default 0 not null, hostid {id} not null, name varchar(255) default '' not null, key_ varchar(2048) default '' not null,
    delay varchar(1024) default '0' not null, value_type integer default 0 not null, units varchar(255) default '' not null,
    templateid {id}, master_itemid {id}, params text not null, primary key (itemid),
    constraint c_items_1 foreign key (hostid) references hosts (hostid) on delete cascade,
    constraint c_items_2 foreign key (templateid) references items (itemid) on delete cascade,
    constraint c_items_5 foreign key (master_itemid) references items (itemid));
  create table triggers (
    triggerid {id} not null, expression varchar(2048) default '' not null, description varchar(255) default '' not null, status integer default 0 not null,
    priority integer default 0 not null, lastchange integer default 0 not null, primary key (triggerid));
  create table functions (
    functionid {id} not null, itemid {id} not null, triggerid {id} not null, name varchar(12) default '' not null, parameter varchar(255) default '0' not null,
    primary key (functionid), constraint c_functions_1 foreign key (itemid) references items (itemid) on delete cascade,
    constraint c_functions_2 foreign key (triggerid) references triggers (triggerid) on delete cascade);
  create table history (itemid {id} not null, clock integer default 0 not null, value {double} default 0.0000 not null, ns integer default 0 not null, primary key (itemid, clock, ns));
  create table history_uint (itemid {id} not null, clock integer default 0 not null, value {numeric} default 0 not null, ns integer default 0 not null, primary key (itemid, clock, ns));
  create table trends (
    itemid {id} not null, clock integer default 0 not null, num integer default 0 not null, value_min {double} default 0 not null,
    value_avg {double} default 0 not null, value_max {double} default 0 not null, primary key (itemid, clock));
  create table events (
    eventid {id} not null, source integer default 0 not null, object integer default 0 not null, objectid {id} default 0 not null, clock integer default 0 not null,
    value integer default 0 not null, acknowledged integer default 0 not null, ns integer default 0 not null, name varchar(2048) default '' not null, primary key (eventid));
  create table event_recovery (
    eventid {id} not null, r_eventid {id} not null, c_eventid {id}, primary key (eventid),
    constraint c_event_recovery_1 foreign key (eventid) references events (eventid) on delete cascade,
    constraint c_event_recovery_2 foreign key (r_eventid) references events (eventid) on delete cascade);
  create table ids (table_name varchar(64) default '' not null, field_name varchar(64) default '' not null, nextid {id} not null, primary key (table_name, field_name));
  create table images (imageid {id} not null, imagetype integer default 0 not null, name varchar(64) default '0' not null, image {image} not null, primary key (imageid));
  create table dbversion (dbversionid {id} not null, mandatory integer default 0 not null, optional integer default 0 not null, primary key (dbversionid));

  insert into role values (1, 'User role', 1, 0), (3, 'Super admin role', 3, 1);
  insert into users values (1, 'Admin', 'Zabbix', 'not-a-hash', 1, 'default', '30s', 0, 3), (2, 'guest', '', '', 0, 'default', '30s', 1715682600, null);
  insert into hosts values (10001, 'Linux by agent', 3, 'Linux by agent', 0, null, '', 'f8f7908280354f2abeed07dc788c3747'),
    (10084, 'server', 0, 'Sërver', 0, 10001, 'a, "b"', ''), ({huge}, '{#VM.UUID}', 1, '', 2, 10084, '', '');
  insert into hstgrp values (2, 'Linux servers', 'dc579cd7a1a34222933f24f52a68bcd8'), (4, 'Zabbix/servers', '');
  insert into hosts_groups values (92, 10084, 4), (93, 10084, 2), (94, {huge}, 2);
  insert into items values (1, 0, 10001, 'CPU', 'system.cpu.load[,avg1]', '1m', 0, '', null, null, ''), (2, 0, 10084, 'CPU', 'system.cpu.load[,avg1]', '{$DELAY}', 0, '%', 1, null, ''),
    ({huge}, 18, 10084, '', 'vfs.fs.size[/,used]', '0', 3, 'B', null, 2, 'return 1;');
  insert into triggers values (5, '{13}>5', 'Load is high on {HOST.NAME}', 0, 3, 1715682600), (6, '', '', 1, 0, 0);
  insert into functions values (13, 2, 5, 'avg', '$,5m'), (14, {huge}, 5, 'last', '$');
  insert into history values (2, 1715682600, 0.5, 123456789), (2, 1715682600, 1e-300, 123456790), (2, 1715682660, -1.5, 0), (99, 0, 0, 0);
  insert into history_uint values ({huge}, 1715682600, {most}, 0), ({huge}, 1715682660, 0, 999999999);
  insert into trends values (2, 1715680800, 60, 0, 0.1, 1e300), ({huge}, 0, 0, 0, 0, 0);
  insert into events values (1, 0, 0, 5, 1715682600, 1, 0, 5, 'Load is high on server'), (2, 0, 0, 5, 1715682900, 0, 0, 6, ''), (3, 3, 4, 2, 0, 1, 1, 0, 'item');
  insert into event_recovery values (1, 2, null);
  insert into ids values ('hosts', 'hostid', 10084), ('a,b', '', {huge});
  insert into images values (1, 1, 'Cloud_(24)', {bytes_a}), (2, 2, '', {bytes_b});
  insert into dbversion values (1, 7000000, 7000013);`

const relations = `
  history.itemid -> items.itemid
  history_uint.itemid -> items.itemid
  trends.itemid -> items.itemid
  event_recovery.c_eventid -> events.eventid`

const credential = 'a credential: nobody is shown it unless a model declares it'

const variant = (name: Engine): Variant => ({
  script: written(name, script, words[name]),
  relations,
  leftOut: { 'users.passwd': credential },
})

export const monitor: Fixture = {
  name: 'a monitoring system',
  variants: { postgres: variant('postgres'), mysql: variant('mysql') },
  usual: 'postgres',
}
