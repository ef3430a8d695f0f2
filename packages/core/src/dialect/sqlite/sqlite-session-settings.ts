// The settings of a SQLite connection, read once when the dialect connects: an instance of Kysely has one connection, and some drivers have
// an object for each use of it.

import { CompiledQuery } from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import {
  type SessionSetting,
  type SessionSettings,
  settingsProblems,
  settingsStatement,
  wrongSettings,
} from '../shared/session/session-settings.ts'

/** A pragma that is on or off; `otherwise` says what goes wrong with the other state, `value` is an expression that is 1 or 0. */
const pragma = (
  name: string,
  needed: 'on' | 'off',
  otherwise: string,
  value = `(select ${name} from pragma_${name})`,
): SessionSetting => ({
  name,
  value,
  needed: `\`${needed}\``,
  problem: (found) => (Number(found) === (needed === 'on' ? 1 : 0) ? undefined : otherwise),
  remedy: () => `Add where the database is opened: database.pragma('${name} = ${needed}')`,
})

const hasForeignKeys = `exists (
  select 1 from sqlite_schema as t, pragma_foreign_key_list(t.name) where t.type = 'table')`

const bytesNotCodePoints =
  'texts are ordered by their bytes in this encoding, and not by code point'

/** The settings of SQLite. */
export const sqliteSessionSettings: SessionSettings = {
  checked: [
    pragma('full_column_names', 'off', 'columns of results have other names'),
    pragma('short_column_names', 'on', 'columns of results have other names'),
    pragma('count_changes', 'off', 'writes return a row more'),
    pragma(
      'case_sensitive_like',
      'off',
      "`ilike` regards case in columns with `collation: 'database'`",
      // There is no other way to read it.
      "not 'a' like 'A'",
    ),
    pragma('ignore_check_constraints', 'off', 'CHECK constraints are not checked'),
    {
      ...pragma(
        'foreign_keys',
        'on',
        'foreign keys are not checked, though tables have some',
        `(select foreign_keys or not ${hasForeignKeys} from pragma_foreign_keys)`,
      ),
      warns: true,
    },
    {
      name: 'encoding',
      value: '(select encoding from pragma_encoding)',
      needed: '`UTF-8`',
      problem: (encoding) => (encoding === 'UTF-8' ? undefined : bytesNotCodePoints),
      remedy: () => 'A new file has the encoding UTF-8, unless a pragma says otherwise',
      warns: true,
    },
  ],
  independent: {
    reverse_unordered_selects: 'lists are ordered by their key',
    recursive_triggers: 'decides what triggers of the host do',
    defer_foreign_keys: 'ends with its transaction',
    legacy_alter_table: 'no statement alters a table',
    automatic_index: 'changes plans only',
    read_uncommitted: 'only for connections that share a cache',
    query_only: 'writes get 503, as on a replica',
  },
}

/** Reads the settings, throws if one of them is wrong, and returns the warnings. Some servers of SQLite files do not show pragmas. */
export async function checkSqliteSettings(db: AnyDatabase): Promise<readonly string[]> {
  const statement = CompiledQuery.raw(settingsStatement(sqliteSessionSettings))
  const rows = await db.executeQuery(statement).then(
    (result) => result.rows,
    () => undefined,
  )
  if (rows === undefined) return []
  const { refused, warnings } = settingsProblems(sqliteSessionSettings, rows[0])
  if (refused.length > 0) throw wrongSettings(refused)
  return warnings
}
