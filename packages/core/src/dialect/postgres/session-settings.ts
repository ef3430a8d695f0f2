// The session settings of PostgreSQL. `pg` sends values apart from the text of statements, so no setting can make them SQL.

import type { SessionSetting, SessionSettings } from '../shared/session/session-settings.ts'

const setting = (
  name: string,
  needed: string,
  because: string,
  isRight = (value: string): boolean => value.toLowerCase() === needed.toLowerCase(),
): SessionSetting => ({
  name,
  // Not every compatible server has the setting.
  value: `current_setting('${name}', true)`,
  problem: (value) => (value === undefined || isRight(value) ? undefined : because),
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
    // The order of day and month after the comma is for other forms of dates than those that the service sends.
    setting('DateStyle', 'ISO', 'in which dates and datetimes have another form', (value) =>
      /^iso\b/i.test(value),
    ),
    setting(
      'extra_float_digits',
      '1',
      'by which floats lose digits',
      (value) => Number(value) >= 1,
    ),
  ],
  independent: {
    backslash_quote: 'no value is part of the text of a statement',
    bytea_output: 'the driver reads both forms',
    transform_null_equals: 'no statement compares with the word NULL by =',
    TimeZone: 'datetimes are converted to and from UTC in each statement',
  },
}
