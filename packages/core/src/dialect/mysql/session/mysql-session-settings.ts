// The session settings of MySQL and MariaDB. mysql2 writes values into the text of statements and escapes them by backslashes, so some
// settings decide whether text of a client becomes SQL.

import type { SessionSetting, SessionSettings } from '../../shared/session/session-settings.ts'
import { isTooLong } from './mysql-statement-length.ts'

/** Members of `sql_mode` with which the service refuses a connection, and what happens with each. */
const refusedModes: Readonly<Record<string, string>> = {
  NO_BACKSLASH_ESCAPES: 'values of clients become SQL, because `mysql2` escapes by backslashes',
  EMPTY_STRING_IS_NULL: 'an empty text is NULL',
  HIGH_NOT_PRECEDENCE: 'NOT negates another part of a condition',
  PAD_CHAR_TO_FULL_LENGTH: 'values of CHAR columns end in blanks',
  ORACLE: 'functions and operators have another meaning',
}

const strict = /(?:^|,)STRICT_(?:TRANS|ALL)_TABLES(?:,|$)/

const notStrict = 'values are cut or changed to fit their columns, because it is not strict'

const membersOf = (mode: string): readonly string[] => mode.split(',')

const refusedIn = (mode: string): readonly string[] =>
  membersOf(mode).filter((member) => Object.hasOwn(refusedModes, member))

/** An expression: the mode of the session without these members, and strict. The server ignores empty members, but '' may be NULL. */
const correctedMode = (members: readonly string[]): string => {
  const withoutMembers = members.reduce(
    (mode, member) => `replace(${mode}, '${member}', ',')`,
    '@@sql_mode',
  )
  return `concat(${withoutMembers}, ',STRICT_ALL_TABLES')`
}

/** The remedy of a setting that each connection sets: `sql_mode = '…'`. */
const remedyOf =
  (assignment: string): SessionSetting['remedy'] =>
  () =>
    `Add to the set-up of the pool: pool.on('connection', (connection) => connection.query("set session ${assignment}")), and no resetOnRelease, which takes that back`

const sqlMode: SessionSetting = {
  name: 'sql_mode',
  value: '@@sql_mode',
  needed: `\`STRICT_TRANS_TABLES\` or \`STRICT_ALL_TABLES\`; none of ${Object.keys(refusedModes)
    .map((member) => `\`${member}\``)
    .join(', ')}`,
  problem(mode = '') {
    const reasons = refusedIn(mode).map((member) => refusedModes[member])
    if (!strict.test(mode)) reasons.push(notStrict)
    return reasons.length === 0 ? undefined : reasons.join(', and ')
  },
  remedy: (mode) => remedyOf(`sql_mode = ${correctedMode(refusedIn(mode))}`)(mode),
  assigned: correctedMode(Object.keys(refusedModes)),
}

const characterSet = (name: string, otherwise: string): SessionSetting => ({
  name,
  value: `@@${name}`,
  needed: '`utf8mb4`',
  problem: (value) => (value === 'utf8mb4' ? undefined : otherwise),
  remedy: () =>
    "Create the pool with charset: 'utf8mb4', which is the default of mysql2, and let no statement change it",
})

interface Needed {
  /** The value as SQL. */
  readonly value: string
  /** How the documentation shows the value. Default: as `value`. */
  readonly shown?: string
  readonly isRight: (value: string) => boolean
  /** The version comment of the first server with the setting, `M!100201` for MariaDB 10.2.1; absent for settings that every server has. */
  readonly comment?: string
  /** Not every user may set it, so a pool of `openDatabase` of http-node does not. */
  readonly isPrivileged?: true
}

/** A setting that has one right value; `otherwise` says what goes wrong with another. */
const setting = (
  name: string,
  { value, shown = `\`${value}\``, isRight, comment, isPrivileged }: Needed,
  otherwise: string,
): SessionSetting => ({
  name,
  ...(comment === undefined ? {} : { comment }),
  value: comment === undefined ? `@@${name}` : `concat('' /*${comment} , @@${name} */)`,
  needed: shown,
  // Where the server does not have the setting, its value is empty.
  problem: (found = '') =>
    (comment !== undefined && found === '') || isRight(found) ? undefined : otherwise,
  remedy: remedyOf(`${name} = ${value}`),
  ...(isPrivileged ? {} : { assigned: value }),
})

/** A setting that must have this number. */
const is = (value: number): Needed => ({
  value: String(value),
  isRight: (found) => Number(found) === value,
})

/** Storage engines that keep what a transaction has written before its ROLLBACK, or keep nothing. */
const withoutRollback = /^(?:myisam|aria|memory|csv|archive|blackhole|mrg_myisam)$/i

/** The settings of MySQL and MariaDB. */
export const mysqlSessionSettings: SessionSettings = {
  statementLimit: { setting: 'max_allowed_packet', isTooLong },
  checked: [
    sqlMode,
    characterSet(
      'character_set_client',
      'bytes of a value may become SQL (`gbk`, `big5`, `sjis`), or characters are lost',
    ),
    characterSet('character_set_connection', 'characters of a value are lost'),
    characterSet('character_set_results', 'characters of a response are lost'),
    setting('sql_auto_is_null', is(0), '`IS NULL` finds the record that was inserted last'),
    setting(
      'sql_select_limit',
      {
        value: '18446744073709551615',
        shown: 'unlimited',
        isRight: (value) => Number(value) > Number.MAX_SAFE_INTEGER,
      },
      'statements without `LIMIT` return fewer rows',
    ),
    {
      ...setting(
        'max_allowed_packet',
        {
          value: '4194304',
          shown: '4 MB or more',
          isRight: (value) => Number(value) >= 4_194_304,
          isPrivileged: true,
        },
        'longer texts are null, and requests that need longer statements are refused',
      ),
      remedy: () => "Add to the server's configuration: max_allowed_packet = 16M",
    },
    setting('autocommit', is(1), 'writes are not committed, and reads see an old state'),
    setting(
      'completion_type',
      {
        value: "'NO_CHAIN'",
        shown: '`NO_CHAIN`',
        isRight: (value) => /^(?:no_chain|0)$/i.test(value),
      },
      'COMMIT begins another transaction or ends the connection',
    ),
    setting('sql_safe_updates', is(0), 'writes without a key in WHERE are errors'),
    setting('sql_big_selects', is(1), 'reads of more than `max_join_size` rows are errors'),
    setting('foreign_key_checks', is(1), 'foreign keys are not checked'),
    setting('unique_checks', is(1), 'the server may store the same unique value twice'),
    setting(
      'check_constraint_checks',
      { value: '1', isRight: (value) => /^(?:on|1)$/i.test(value), comment: 'M!100201' },
      'CHECK constraints are not checked (MariaDB)',
    ),
    setting(
      'system_versioning_asof',
      {
        value: 'DEFAULT',
        isRight: (value) => /^default$/i.test(value),
        comment: 'M!100304',
        isPrivileged: true,
      },
      'tables with system versioning are read as they were then (MariaDB)',
    ),
    setting(
      'default_regex_flags',
      { value: "''", shown: 'empty', isRight: (value) => value === '', comment: 'M!100011' },
      'filters without regard to case find other texts (MariaDB)',
    ),
    setting(
      'default_storage_engine',
      {
        value: "'InnoDB'",
        shown: 'an engine with transactions',
        isRight: (value) => !withoutRollback.test(value),
      },
      'the tables that the service creates keep what a transaction takes back',
    ),
    setting(
      'lc_messages',
      { value: "'en_US'", shown: 'English', isRight: (value) => /^en/i.test(value) },
      'responses to violated constraints do not name the field, which only the message tells',
    ),
  ],
  resetProbe: { set: 'set @model_api_session = 1', value: '@model_api_session' },
  independent: {
    'sql_mode: ANSI_QUOTES': 'identifiers are in backticks, and texts in single quotes',
    'sql_mode: PIPES_AS_CONCAT': 'no statement has ||',
    'sql_mode: IGNORE_SPACE': 'no function has a blank before its parenthesis',
    'sql_mode: REAL_AS_FLOAT': 'no statement names the type REAL',
    'sql_mode: ONLY_FULL_GROUP_BY': 'groups select only what they group by',
    'sql_mode: TIME_TRUNCATE_FRACTIONAL, TIME_ROUND_FRACTIONAL':
      'no value has more fractional digits than its column',
    'sql_mode: NO_UNSIGNED_SUBTRACTION': 'no statement subtracts values of columns',
    'sql_mode: SIMULTANEOUS_ASSIGNMENT': 'no UPDATE reads a column that it sets',
    'sql_mode: ALLOW_INVALID_DATES': 'dates of clients are checked before they are sent',
    'sql_mode: NO_ZERO_DATE, NO_ZERO_IN_DATE': 'decide whether zero dates may be stored',
    'sql_mode: ERROR_FOR_DIVISION_BY_ZERO': 'is about writes, and no write of the service divides',
    'sql_mode: NO_AUTO_VALUE_ON_ZERO': 'a key of 0 is 400 in a column that generates keys',
    'sql_mode: DB2, MAXDB, MSSQL, POSTGRESQL': 'consist of those above',
    div_precision_increment:
      'averages are calculated from sums, or cast to more digits than it adds',
    group_concat_max_len: 'no statement has GROUP_CONCAT',
    max_sort_length: 'statements with ORDER BY set it themselves',
    time_zone: 'datetimes are converted to and from UTC in each statement',
    collation_connection: 'comparisons of texts name their collation',
    character_set_collations: 'likewise',
    default_collation_for_utf8mb4: 'likewise',
    lc_time_names: 'no statement names days or months',
    default_week_format: 'no statement counts weeks',
    optimizer_switch:
      'statements with subqueries switch off subquery_cache themselves; the rest changes plans only',
    max_error_count: 'warnings are not read',
    'auto_increment_increment, auto_increment_offset':
      'keys of several records are calculated from them',
    'transaction_isolation, tx_isolation': 'writes take care of each level',
    'transaction_read_only, tx_read_only': 'writes get 503, as on a replica',
  },
}
