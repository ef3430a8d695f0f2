// Writes the session settings in docs/reference/databases.md from the tables of the dialects.

import { readFileSync, writeFileSync } from 'node:fs'
import { sessionSettings } from '../packages/core/src/dialect/session-settings.ts'
import type { SessionSettings } from '../packages/core/src/dialect/shared/session/session-settings.ts'

const page = new URL('../docs/reference/databases.md', import.meta.url)

const databases = [
  ['MySQL, MariaDB', sessionSettings.mysql],
  ['PostgreSQL', sessionSettings.postgres],
  ['SQLite', sessionSettings.sqlite],
] as const

/** One line for settings that need the same for the same reason, such as those of character sets. */
function checkedRows(database: string, { checked }: SessionSettings): readonly string[] {
  return checked.flatMap(({ name, needs, warns }) =>
    needs.map(({ needed, otherwise }, i) => {
      const cells = i === 0 ? [database, `\`${name}\``] : ['', '']
      const end = warns ? ' (a warning)' : ''
      return `| ${cells.join(' | ')} | ${needed} | ${otherwise}${end} |`.replaceAll('|  |', '| |')
    }),
  )
}

/** The settings that may have any value, on one line. */
function independentNames(database: string, { independent }: SessionSettings): string {
  const names = Object.keys(independent).flatMap((key) =>
    key.replace(/^sql_mode: /, '').split(', '),
  )
  return `- ${database}: ${names.map((name) => `\`${name}\``).join(', ')}`
}

/** The table of those that are checked, and the names of the others. */
const settings = (): string =>
  [
    '| Database | Setting | Needed | Otherwise |',
    '|---|---|---|---|',
    ...databases.flatMap(([name, settings]) => checkedRows(name, settings)),
    '',
    'These may have any value, because no statement of the API depends on it:',
    '',
    ...databases.map(([name, settings]) => independentNames(name, settings)),
    '',
  ].join('\n')

/** Returns docs/reference/databases.md, which ends with the settings, and the same with the settings as they are in the code. */
export function databasesPage(): { readonly stored: string; readonly made: string } {
  const stored = readFileSync(page, 'utf8')
  const start = stored.indexOf('| Database | Setting | Needed |')
  return { stored, made: stored.slice(0, start) + settings() }
}

if (import.meta.main) writeFileSync(page, databasesPage().made)
