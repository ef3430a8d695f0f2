// The session settings of PostgreSQL. `pg` sends values apart from the text of statements, so no setting can make them SQL.

import type { SessionSetting, SessionSettings } from '../shared/session/session-settings.ts'

interface Needed {
  readonly value: string
  /** Says in Markdown what else is right. */
  readonly or?: string
  /** Whether a value is right. Default: it equals `value`. */
  readonly isRight?: (value: string) => boolean
  /** Only superusers may set it, so a pool of `openDatabase` of http-node does not. */
  readonly isPrivileged?: true
}

/** A setting that has one right value; `otherwise` says what goes wrong with another. */
const setting = (
  name: string,
  { value: needed, or = '', isRight, isPrivileged }: Needed,
  otherwise: string,
): SessionSetting => ({
  name,
  // Not every compatible server has the setting.
  value: `current_setting('${name}', true)`,
  needed: `${needed === '' ? 'empty' : `\`${needed}\``}${or}`,
  problem: (value) =>
    value === undefined || (isRight?.(value) ?? value.toLowerCase() === needed.toLowerCase())
      ? undefined
      : otherwise,
  remedy: () =>
    `Add to the set-up of the pool: pool.on('connect', (client) => client.query("set ${name} = '${needed}'")), or preparedPg(pool, { setUp })`,
  ...(isPrivileged ? {} : { assigned: `'${needed}'` }),
})

const on = { value: 'on' }

/** The settings of PostgreSQL. */
export const postgresSessionSettings: SessionSettings = {
  checked: [
    setting(
      'standard_conforming_strings',
      on,
      'a backslash in the text of a statement has another meaning',
    ),
    setting('client_encoding', { value: 'UTF8' }, 'characters are lost'),
    setting(
      'DateStyle',
      {
        value: 'ISO',
        // The order is for other forms of dates than those that the service sends.
        or: ', with any order of day and month',
        isRight: (value) => /^iso\b/i.test(value),
      },
      'dates and datetimes have another form, also in cursors and ETags',
    ),
    setting(
      'extra_float_digits',
      { value: '1', or: ' or more', isRight: (value) => Number(value) >= 1 },
      'floats lose digits',
    ),
    setting('array_nulls', on, 'the text NULL is stored in lists of records where null was sent'),
    setting(
      'gin_fuzzy_search_limit',
      { value: '0' },
      'searches and filters that use a GIN index lose rows',
    ),
    setting('row_security', on, 'tables with row security cannot be read'),
    setting(
      'session_replication_role',
      { value: 'origin', isPrivileged: true },
      'foreign keys are not checked, and triggers do not run',
    ),
    setting(
      'restrict_nonsystem_relation_kind',
      { value: '', isRight: (value) => !/view/i.test(value) },
      'views cannot be read',
    ),
  ],
  independent: {
    backslash_quote: 'no value is part of the text of a statement',
    bytea_output: 'both forms are read',
    transform_null_equals: 'no statement compares with the word NULL by =',
    TimeZone: 'datetimes are converted to and from UTC in each statement',
    timezone_abbreviations: 'no statement names a time zone other than UTC',
    default_text_search_config: 'searches name their configuration',
    quote_all_identifiers: 'names in catalogues are read with and without quotes',
    synchronize_seqscans: 'lists are ordered by their key',
    plan_cache_mode: 'changes plans only',
    default_transaction_isolation: 'writes take care of each level',
    default_transaction_deferrable: 'delays transactions only',
    default_transaction_read_only: 'writes get 503, as on a replica',
    search_path: 'decides where tables without a schema are; set it alike on all connections',
    IntervalStyle: 'decides the text of intervals, which the API does not interpret; set it alike',
    lc_monetary: 'decides the text of money, likewise',
    xmlbinary: 'decides the text of binary values in XML, likewise',
  },
}
