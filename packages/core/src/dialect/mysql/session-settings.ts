// The session settings of MySQL and MariaDB. mysql2 writes values into the text of statements and escapes them by backslashes, so some
// settings decide whether text of a client becomes SQL.

import type { SessionSetting, SessionSettings } from '../shared/session/session-settings.ts'

/** Members of `sql_mode` with which the service refuses a connection, and what each changes. */
const refusedModes: Readonly<Record<string, string>> = {
  NO_BACKSLASH_ESCAPES: 'by which values of clients become SQL',
  EMPTY_STRING_IS_NULL: 'by which an empty text is NULL',
  HIGH_NOT_PRECEDENCE: 'by which NOT negates another part of a condition',
  PAD_CHAR_TO_FULL_LENGTH: 'by which values of CHAR columns end in blanks',
  ORACLE: 'by which functions and operators have another meaning',
}

const strict = /(?:^|,)STRICT_(?:TRANS|ALL)_TABLES(?:,|$)/

const membersOf = (mode: string): readonly string[] => mode.split(',')

const refusedIn = (mode: string): readonly string[] =>
  membersOf(mode).filter((member) => Object.hasOwn(refusedModes, member))

/** An expression: the mode of the session without these members, and strict. The server ignores empty members, but '' may be NULL. */
const mended = (members: readonly string[]): string => {
  const kept = members.reduce((mode, member) => `replace(${mode}, '${member}', ',')`, '@@sql_mode')
  return `concat(${kept}, ',STRICT_ALL_TABLES')`
}

const sqlMode: SessionSetting = {
  name: 'sql_mode',
  value: '@@sql_mode',
  problem(mode = '') {
    const reasons = refusedIn(mode).map((member) => `has ${member}, ${refusedModes[member]}`)
    if (!strict.test(mode)) {
      reasons.push(
        'is not strict, so that values are stored which differ from those that were sent',
      )
    }
    return reasons.length === 0 ? undefined : `which ${reasons.join(', and ')}`
  },
  remedy: (mode) =>
    `Add to the set-up of the pool: pool.on('connection', (connection) => connection.query("set session sql_mode = ${mended(refusedIn(mode))}")), and no resetOnRelease, which takes that back`,
  assigned: mended(Object.keys(refusedModes)),
}

const characterSet = (name: string, because: string): SessionSetting => ({
  name,
  value: `@@${name}`,
  problem: (value) => (value === 'utf8mb4' ? undefined : because),
  remedy: () =>
    "Create the pool with charset: 'utf8mb4', which is the default of mysql2, and let no statement change it",
})

const numberSetting = (
  name: string,
  needed: string,
  isRight: (value: number) => boolean,
  because: string,
): SessionSetting => ({
  name,
  value: `@@${name}`,
  problem: (value) => (isRight(Number(value)) ? undefined : because),
  remedy: () =>
    `Add to the set-up of the pool: pool.on('connection', (connection) => connection.query("set session ${name} = ${needed}"))`,
  assigned: needed,
})

/** The settings of MySQL and MariaDB. */
export const mysqlSessionSettings: SessionSettings = {
  checked: [
    sqlMode,
    characterSet(
      'character_set_client',
      'in which bytes of a value may become SQL, or characters are lost',
    ),
    characterSet('character_set_connection', 'in which characters of a value are lost'),
    characterSet('character_set_results', 'in which characters of a response are lost'),
    numberSetting(
      'sql_auto_is_null',
      '0',
      (value) => value === 0,
      'by which IS NULL finds the record that was inserted last',
    ),
    numberSetting(
      'sql_select_limit',
      '18446744073709551615',
      (value) => value > Number.MAX_SAFE_INTEGER,
      'by which statements without LIMIT return fewer rows',
    ),
  ],
  mark: { set: 'set @model_api_session = 1', value: '@model_api_session' },
  independent: {
    'sql_mode: ANSI_QUOTES': 'identifiers are in backticks, and texts in single quotes',
    'sql_mode: PIPES_AS_CONCAT': 'no statement has ||',
    'sql_mode: IGNORE_SPACE': 'no function has a blank before its parenthesis',
    'sql_mode: REAL_AS_FLOAT': 'no statement names the type REAL',
    'sql_mode: ONLY_FULL_GROUP_BY': 'groups select only what they group by',
    'sql_mode: TIME_TRUNCATE_FRACTIONAL, TIME_ROUND_FRACTIONAL':
      'no value has more fractional digits than its column',
    div_precision_increment:
      'averages are calculated from sums, or cast to more digits than it adds',
    group_concat_max_len: 'no statement has GROUP_CONCAT',
    time_zone: 'datetimes are converted to and from UTC in each statement',
    collation_connection: 'comparisons of texts name their collation',
  },
}
