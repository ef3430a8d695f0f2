/** The conformance list under other values of each session setting: the recorded answers, or a start that names the line to add. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi } from '@model-api/core'
import { guardedMysql, preparedPg, preparedSqlite } from '@model-api/core/drivers'
import { sessionSettings } from '@model-api/core/internals'
import { introspect } from '@model-api/core/introspect'
import Sqlite from 'better-sqlite3'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { databasesPage } from '../../scripts/session-settings.ts'
import { conformance } from '../runtimes/conformance.ts'
import { config, createWorld, models, secrets } from '../runtimes/world.ts'
import { get, send } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { extent } from '../support/extent.ts'
import type { AnyKysely } from '../support/faults.ts'
import { eachDatabase, notRun, suite } from '../support/suite.ts'
import { createThings, thingAnswers } from './session-values.ts'

/** Statements that a hostile host runs on each new connection, by the setting that they change. */
type Hostile<K extends 'mysql' | 'postgres' | 'sqlite'> = Readonly<
  Record<K, Readonly<Record<string, readonly string[]>>>
>

const withMode = (...modes: string[]): readonly string[] =>
  modes.map((mode) => `set session sql_mode = concat(@@sql_mode, ',${mode}')`)

const hostile: Hostile<'mysql' | 'postgres' | 'sqlite'> = {
  mysql: {
    sql_mode: [
      ...withMode('NO_BACKSLASH_ESCAPES', 'HIGH_NOT_PRECEDENCE', 'PAD_CHAR_TO_FULL_LENGTH'),
      ...withMode('EMPTY_STRING_IS_NULL', 'ORACLE'),
      "set session sql_mode = ''",
    ],
    character_set_client: ['set names gbk', 'set names latin1'],
    character_set_connection: ['set character_set_connection = latin1'],
    character_set_results: [
      'set character_set_results = latin1',
      'set character_set_results = binary',
      'set character_set_results = null',
    ],
    sql_auto_is_null: ['set session sql_auto_is_null = 1'],
    sql_select_limit: ['set session sql_select_limit = 1'],
    // Only the server sets it.
    max_allowed_packet: [],
    autocommit: ['set session autocommit = 0'],
    completion_type: ['set session completion_type = 1', 'set session completion_type = 2'],
    sql_safe_updates: ['set session sql_safe_updates = 1'],
    sql_big_selects: ['set session max_join_size = 1'],
    foreign_key_checks: ['set session foreign_key_checks = 0'],
    unique_checks: ['set session unique_checks = 0'],
    check_constraint_checks: ['set session check_constraint_checks = 0'],
    system_versioning_asof: ["set session system_versioning_asof = '2001-01-01'"],
    default_regex_flags: ["set session default_regex_flags = 'MULTILINE'"],
    default_storage_engine: ['set session default_storage_engine = MyISAM'],
    lc_messages: ["set session lc_messages = 'de_DE'"],
    'sql_mode: ANSI_QUOTES': withMode('ANSI_QUOTES', 'ANSI'),
    'sql_mode: PIPES_AS_CONCAT': withMode('PIPES_AS_CONCAT'),
    'sql_mode: IGNORE_SPACE': withMode('IGNORE_SPACE'),
    'sql_mode: REAL_AS_FLOAT': withMode('REAL_AS_FLOAT'),
    'sql_mode: ONLY_FULL_GROUP_BY': withMode('ONLY_FULL_GROUP_BY'),
    'sql_mode: TIME_TRUNCATE_FRACTIONAL, TIME_ROUND_FRACTIONAL': withMode(
      'TIME_TRUNCATE_FRACTIONAL',
      'TIME_ROUND_FRACTIONAL',
    ),
    'sql_mode: NO_UNSIGNED_SUBTRACTION': withMode('NO_UNSIGNED_SUBTRACTION'),
    'sql_mode: SIMULTANEOUS_ASSIGNMENT': withMode('SIMULTANEOUS_ASSIGNMENT'),
    'sql_mode: ALLOW_INVALID_DATES': withMode('ALLOW_INVALID_DATES'),
    'sql_mode: NO_ZERO_DATE, NO_ZERO_IN_DATE': [
      ...withMode('NO_ZERO_DATE,NO_ZERO_IN_DATE'),
      "set session sql_mode = 'STRICT_ALL_TABLES'",
    ],
    'sql_mode: ERROR_FOR_DIVISION_BY_ZERO': withMode('ERROR_FOR_DIVISION_BY_ZERO'),
    'sql_mode: NO_AUTO_VALUE_ON_ZERO': withMode('NO_AUTO_VALUE_ON_ZERO'),
    'sql_mode: DB2, MAXDB, MSSQL, POSTGRESQL': withMode('DB2', 'MAXDB', 'MSSQL', 'POSTGRESQL'),
    div_precision_increment: [
      'set session div_precision_increment = 0',
      'set session div_precision_increment = 30',
    ],
    group_concat_max_len: ['set session group_concat_max_len = 4'],
    max_sort_length: ['set session max_sort_length = 64'],
    time_zone: ["set session time_zone = '+05:30'"],
    collation_connection: [
      'set session collation_connection = utf8mb4_turkish_ci',
      'set session collation_connection = utf8mb4_bin',
    ],
    character_set_collations: [
      "set session character_set_collations = 'utf8mb4=utf8mb4_turkish_ci'",
    ],
    default_collation_for_utf8mb4: [
      'set session default_collation_for_utf8mb4 = utf8mb4_general_ci',
    ],
    lc_time_names: ["set session lc_time_names = 'de_DE'"],
    default_week_format: ['set session default_week_format = 3'],
    optimizer_switch: [
      "set session optimizer_switch = 'semijoin=off,materialization=off,derived_merge=off'",
    ],
    max_error_count: ['set session max_error_count = 0'],
    'auto_increment_increment, auto_increment_offset': [
      'set session auto_increment_increment = 5, session auto_increment_offset = 3',
    ],
    'transaction_isolation, tx_isolation': [
      'set session transaction isolation level serializable',
      'set session transaction isolation level read uncommitted',
    ],
    'transaction_read_only, tx_read_only': ['set session transaction read only'],
  },
  postgres: {
    standard_conforming_strings: ['set standard_conforming_strings = off'],
    client_encoding: ['set client_encoding = LATIN1'],
    DateStyle: ["set DateStyle = 'German, DMY'", "set DateStyle = 'SQL, DMY'"],
    extra_float_digits: ['set extra_float_digits = 0', 'set extra_float_digits = -15'],
    array_nulls: ['set array_nulls = off'],
    gin_fuzzy_search_limit: ['set gin_fuzzy_search_limit = 1'],
    row_security: ['set row_security = off'],
    session_replication_role: ['set session_replication_role = replica'],
    restrict_nonsystem_relation_kind: ["set restrict_nonsystem_relation_kind = 'view'"],
    backslash_quote: ['set backslash_quote = off'],
    bytea_output: ['set bytea_output = escape'],
    transform_null_equals: ['set transform_null_equals = on'],
    TimeZone: ["set TimeZone = 'Asia/Kolkata'"],
    timezone_abbreviations: ["set timezone_abbreviations = 'India'"],
    default_text_search_config: ["set default_text_search_config = 'german'"],
    quote_all_identifiers: ['set quote_all_identifiers = on'],
    synchronize_seqscans: ['set synchronize_seqscans = off'],
    plan_cache_mode: ['set plan_cache_mode = force_generic_plan'],
    default_transaction_isolation: [
      'set default_transaction_isolation = serializable',
      "set default_transaction_isolation = 'repeatable read'",
    ],
    default_transaction_deferrable: ['set default_transaction_deferrable = on'],
    default_transaction_read_only: ['set default_transaction_read_only = on'],
    search_path: ['set search_path = public, pg_catalog'],
    IntervalStyle: ['set IntervalStyle = sql_standard'],
    lc_monetary: ["set lc_monetary = 'C'"],
    xmlbinary: ['set xmlbinary = hex'],
  },
  sqlite: {
    full_column_names: ['pragma full_column_names = on'],
    short_column_names: ['pragma short_column_names = off'],
    count_changes: ['pragma count_changes = on'],
    case_sensitive_like: ['pragma case_sensitive_like = on'],
    ignore_check_constraints: ['pragma ignore_check_constraints = on'],
    foreign_keys: ['pragma foreign_keys = off'],
    encoding: ["pragma encoding = 'UTF-16le'", "pragma encoding = 'UTF-16be'"],
    reverse_unordered_selects: ['pragma reverse_unordered_selects = on'],
    recursive_triggers: ['pragma recursive_triggers = on'],
    defer_foreign_keys: ['pragma defer_foreign_keys = on'],
    legacy_alter_table: ['pragma legacy_alter_table = on'],
    automatic_index: ['pragma automatic_index = off'],
    read_uncommitted: ['pragma read_uncommitted = on'],
    query_only: ['pragma query_only = on'],
  },
}

/** With these, only reads are compared: writes get 503. */
const isReadOnly = (name: string): boolean => /read_only|query_only/.test(name)

/** In a usual run: a refused setting, a warning, and settings that need nothing, of those that were wrong once. */
const usual: ReadonlySet<string> = new Set([
  ...['autocommit', 'sql_mode: ONLY_FULL_GROUP_BY', 'array_nulls', 'bytea_output'],
  ...['full_column_names', 'foreign_keys', 'reverse_unordered_selects'],
])
if (extent === 'usual') notRun('most hostile session settings', 'a usual run has one of each kind')

const recorded = readFileSync(new URL('../runtimes/answers.txt', import.meta.url), 'utf8')

const readsOf = (text: string): string => text.slice(0, text.indexOf('\nPOST /api/authors'))

interface Opening {
  readonly dialect: Dialect
  /** The error of a statement of the set-up. */
  readonly failed: () => unknown
}

type Open = (statements: readonly string[], isWrapped: boolean) => Opening

function opener(db: TestDatabase, file: string): Open {
  return (statements, isWrapped) => {
    let error: unknown
    const note = (found: unknown): void => {
      error ??= found ?? undefined
    }
    return { dialect: dialectOf(db, file, statements, isWrapped, note), failed: () => error }
  }
}

function dialectOf(
  { name, url = '' }: TestDatabase,
  file: string,
  statements: readonly string[],
  isWrapped: boolean,
  note: (error: unknown) => void,
): Dialect {
  if (name === 'sqlite') {
    const database = new Sqlite(file)
    database.pragma('foreign_keys = on')
    for (const statement of statements) database.exec(statement)
    return new SqliteDialect({ database: isWrapped ? preparedSqlite(database) : database })
  }
  if (name === 'mysql') {
    const pool = mysql.createPool({ uri: url, connectionLimit: 2 })
    pool.on('connection', (connection) => {
      for (const statement of statements) connection.query(statement, note)
    })
    return new MysqlDialect({ pool: isWrapped ? guardedMysql(pool) : pool })
  }
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (statements.length > 0) client.query(statements.join(';')).catch(note)
  })
  return new PostgresDialect({ pool: isWrapped ? preparedPg(pool) : pool })
}

/** The server has no such setting, or the setting no such value. */
const isUnknown = (error: unknown): boolean => {
  const { errno, code } = error as { errno?: unknown; code?: unknown }
  return errno === 1193 || errno === 1231 || code === '42704'
}

/** A table whose catalogue has what introspection reads: rules, defaults, and a name in need of quotes. */
function ruled(name: TestDatabase['name']): readonly string[] {
  const quote = name === 'mysql' ? '`' : '"'
  return [
    `create table ruled (id integer primary key, kind varchar(10) default 'it''s' not null,
      size integer default 5, ${quote}order${quote} varchar(5),
      check (kind in ('new', 'it''s')), check (size >= 0 and size < 100))`,
    `create view newly as select id, kind from ruled where kind = 'new'`,
  ]
}

/** What `ready` rejects with, and the warnings. */
async function startOf(db: AnyKysely): Promise<{ refusal: string; warnings: string }> {
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  const api = createApi({ db, models, config, env: secrets, onWarning, onError: () => {} })
  const refusal = await api.ready.then(
    () => '',
    (error: Error) => error.message,
  )
  return { refusal, warnings: warnings.join('\n') }
}

eachDatabase('a hostile session', (test, db) => {
  const settings = sessionSettings[db.name]
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
  const file = join(folder, 'hostile.db')
  const open = opener(db, file)
  const instances: AnyKysely[] = []
  const clean = (): AnyKysely => kyselyOf(open([], true))
  const kyselyOf = ({ dialect }: Opening): AnyKysely => {
    const made: AnyKysely = new Kysely<never>({ dialect })
    instances.push(made)
    return made
  }
  let expected: readonly unknown[] = []

  test.before(async () => {
    // A server database is created by its first statement.
    await db.execScript('create table hostile_sessions (id integer)')
    await db.execScript('drop table hostile_sessions')
    const own = clean()
    await createWorld(own, db.name)
    await createThings(db, own)
    for (const statement of ruled(db.name)) await sql.raw(statement).execute(own)
    expected = await thingAnswers(own)
    await closeAll()
  })
  const closeAll = async (): Promise<void> => {
    for (const one of instances.splice(0)) await one.destroy()
  }
  test.after(() => rmSync(folder, { recursive: true }))

  const hostileStatements = (name: string): readonly string[] => {
    const all = hostile[db.name][name] ?? []
    if (extent === 'whole') return all
    return usual.has(name) ? all.slice(0, 1) : []
  }

  /** The recorded answers of the list, the values of things, and the models of the tables. */
  const answersAsEver = async (name: string, on: AnyKysely): Promise<void> => {
    const creator = clean()
    const { text, errors } = await conformance(on, db.name, creator)
    if (isReadOnly(name)) return equal(readsOf(text), readsOf(recorded))
    equal([text, errors], [recorded, []])
    equal(await thingAnswers(on), expected)
    const columns = async (of: AnyKysely) =>
      (await introspect(of)).models.map(({ table, columns: all }) => JSON.stringify([table, all]))
    equal(await columns(on), await columns(creator))
  }

  const closing = (title: string, body: () => Promise<void>): void =>
    test(title, () => body().finally(closeAll))

  let count = 0
  for (const [name, why] of Object.entries(settings.independent)) {
    for (const statement of hostileStatements(name)) {
      const isWrapped = name === 'bytea_output' || ++count % 2 === 0
      closing(`${statement}: ${why}`, async () => {
        const opening = open([statement], isWrapped)
        const own = kyselyOf(opening)
        if (name.startsWith('auto_increment')) return keysOfListsAreRight(own)
        await startOf(own)
        if (isUnknown(opening.failed() ?? {})) return
        equal(opening.failed(), undefined)
        await answersAsEver(name, own)
      })
    }
  }

  for (const { name, warns } of settings.checked) {
    for (const statement of hostileStatements(name)) {
      const isWrapped = ++count % 2 === 0
      closing(`${statement}: ${warns ? 'warned' : 'refused'}, with the line to add`, async () => {
        const isOfFile = name === 'encoding'
        const own = isOfFile ? join(folder, `${++count}.db`) : file
        const openHere = opener(db, own)
        if (isOfFile) await createWorld(kyselyOf(openHere([statement], true)), db.name)
        const opening = openHere([statement], isWrapped)
        const { refusal, warnings } = await startOf(kyselyOf(opening))
        if (isUnknown(opening.failed() ?? {})) return
        const message = warns ? warnings : refusal
        // Its values are buffers.
        if (statement.endsWith('= binary')) return match(message, /rows of the driver/)
        match(message, new RegExp(`${name} is .+, so that \\w`))
        if (warns) equal(refusal, '')
        const [, , line] = /(query|pragma)\(["'](.*)["']\)\)?(?:,|$|\.)/m.exec(message) ?? []
        if (line === undefined) return match(message, /charset: 'utf8mb4'|UTF-8/)
        const added = db.name === 'sqlite' ? `pragma ${line}` : line
        const mended = kyselyOf(openHere([statement, added], isWrapped))
        const start = await startOf(mended)
        equal([start.refusal, start.warnings.includes(name)], ['', false])
        await answersAsEver(name, mended)
      })
    }
  }

  /** Keys of several records in one statement, where the server leaves gaps between them. */
  const keysOfListsAreRight = async (own: AnyKysely): Promise<void> => {
    await createWorld(clean(), db.name)
    const api = createApi({ db: own, models, config, env: secrets, onWarning: () => {} })
    const names = ['of three', 'of steps', 'of five']
    const body = names.map((of) => ({ name: of }))
    const { value } = await send(api, 'POST', '/api/tags', { body })
    equal(
      value.map(({ name: of }: { name: string }) => of),
      names,
    )
    equal(value[1].id - value[0].id, 5)
    for (const { id, name: of } of value) {
      equal((await get(api, `/api/tags/${id}`)).value.name, of)
    }
  }
})

suite('better-sqlite3 with integers as bigints', (test) => {
  test('gets the recorded answers, and the same models', async () => {
    const database = new Sqlite(':memory:')
    const db: AnyKysely = new Kysely<never>({ dialect: new SqliteDialect({ database }) })
    await conformance(db, 'sqlite')
    const columns = async () =>
      JSON.stringify((await introspect(db)).models.map((model) => [model.table, model.columns]))
    const expected = [await columns(), await startOf(db)]
    database.defaultSafeIntegers(true)
    equal([await columns(), await startOf(db)], expected)
    const { text, errors } = await conformance(db, 'sqlite')
    equal([text, errors], [recorded, []])
    await db.destroy()
  })
})

suite('the session settings', (test) => {
  test('in docs/reference/databases.md are the output of scripts/session-settings.ts', () => {
    const { stored, made } = databasesPage()
    ok(
      stored === made,
      'out of date: run node --conditions=@model-api/source scripts/session-settings.ts',
    )
  })

  test('refuse what no session can set', () => {
    const { checked } = sessionSettings.mysql
    const packet = checked.find(({ name }) => name === 'max_allowed_packet')
    match(packet?.problem('1048576') ?? '', /longer texts are null/)
    equal(packet?.problem('16777216'), undefined)
  })

  test('have hostile values for each setting', () => {
    for (const kind of ['mysql', 'postgres', 'sqlite'] as const) {
      const { checked, independent } = sessionSettings[kind]
      const names = [...checked.map(({ name }) => name), ...Object.keys(independent)]
      equal(Object.keys(hostile[kind]).sort(), names.sort())
    }
  })
})
