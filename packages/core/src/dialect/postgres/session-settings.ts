// The session settings of PostgreSQL. `pg` sends values apart from the text of statements, so no setting can make them SQL.

import type { SessionSetting, SessionSettings } from '../shared/session/session-settings.ts'

const setting = (name: string, needed: string, because: string): SessionSetting => ({
  name,
  // Not every compatible server has the setting.
  value: `current_setting('${name}', true)`,
  problem: (value) =>
    value === undefined || value.toLowerCase() === needed.toLowerCase() ? undefined : because,
  remedy: () =>
    `Add to the set-up of the pool: pool.on('connect', (client) => client.query("set ${name} = '${needed}'")), or preparedPg(pool, { setUp })`,
  assigned: `'${needed}'`,
})

/** The settings of PostgreSQL. */
export const postgresSessionSettings: SessionSettings = {
  checked: [
    setting(
      'standard_conforming_strings',
      'on',
      'by which a backslash in a statement has another meaning',
    ),
    setting('client_encoding', 'UTF8', 'in which characters are lost'),
  ],
  independent: {
    backslash_quote: 'no value is part of the text of a statement',
    TimeZone: 'datetimes are converted to and from UTC in each statement',
  },
}
