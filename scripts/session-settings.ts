// Writes the table of session settings in docs/reference/databases.md from the tables of the dialects.

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
function checkedRows({ checked }: SessionSettings): readonly string[] {
  return checked.flatMap(({ name, needs, warns }) =>
    needs.map(({ needed, otherwise }, i) => {
      const end = warns ? ' (a warning)' : ''
      return `| ${i === 0 ? `\`${name}\`` : ''} | ${needed} | ${otherwise}${end} |`
    }),
  )
}

const table = (): string =>
  [
    '| Setting | Needed | Otherwise |',
    '|---|---|---|',
    ...databases.flatMap(([name, settings]) => [`| **${name}** | | |`, ...checkedRows(settings)]),
    '',
  ].join('\n')

/** Returns docs/reference/databases.md, which ends with the table, and the same with the table as the code has it. */
export function databasesPage(): { readonly stored: string; readonly made: string } {
  const stored = readFileSync(page, 'utf8')
  const start = stored.indexOf('| Setting | Needed |')
  return { stored, made: stored.slice(0, start) + table() }
}

if (import.meta.main) writeFileSync(page, databasesPage().made)
