// Column types of the tables the service makes for itself, per database family.

import type { Dialect } from '../dialect.ts'

/** What `create table` writes. */
export interface OwnTypes {
  /** A moment in UTC, to the millisecond. */
  readonly datetime: string
  /** 64 hexadecimal digits, compared byte by byte. */
  readonly digest: string
  /** A text of some length, compared byte by byte. */
  readonly text: string
  readonly boolean: string
  /** Whether a table may be created inside a transaction without ending it. */
  readonly inTransaction: boolean
}

const families: Readonly<Record<string, OwnTypes>> = {
  sqlite: {
    datetime: 'text',
    digest: 'text',
    text: 'text',
    boolean: 'integer',
    inTransaction: true,
  },
  postgres: {
    datetime: 'timestamptz(3)',
    digest: 'varchar(64) collate "C"',
    text: 'varchar(255) collate "C"',
    boolean: 'boolean',
    inTransaction: true,
  },
  mysql: {
    datetime: 'datetime(3)',
    digest: 'char(64) character set ascii collate ascii_bin',
    text: 'varchar(255) character set utf8mb4 collate utf8mb4_bin',
    boolean: 'boolean',
    inTransaction: false,
  },
}

const portable: OwnTypes = {
  datetime: 'timestamp',
  digest: 'varchar(64)',
  text: 'varchar(255)',
  boolean: 'boolean',
  inTransaction: false,
}

/** The types of a dialect; portable ones where the family is not known. */
export const ownTypes = (dialect: Pick<Dialect, 'name'>): OwnTypes =>
  families[dialect.name] ?? portable
