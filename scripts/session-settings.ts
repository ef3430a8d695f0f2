// Writes the lists of session settings in docs/reference/databases.md from the tables of the dialects.

import { readFileSync, writeFileSync } from 'node:fs'
import { sessionSettings } from '../packages/core/src/dialect/settings-by-database.ts'
import type { SessionSettings } from '../packages/core/src/dialect/shared/session/session-settings.ts'

const page = new URL('../docs/reference/databases.md', import.meta.url)

const databases = [
  ['MySQL, MariaDB', sessionSettings.mysql],
  ['PostgreSQL', sessionSettings.postgres],
  ['SQLite', sessionSettings.sqlite],
] as const

const linesOf = ({ checked }: SessionSettings): readonly string[] =>
  checked.map(
    ({ name, needed, warns }) => `- \`${name}\`: ${needed}${warns ? ' (otherwise a warning)' : ''}`,
  )

const lists = (): string =>
  databases.map(([name, settings]) => `**${name}**\n\n${linesOf(settings).join('\n')}\n`).join('\n')

/** Returns docs/reference/databases.md, which ends with the lists, and the same with the lists as the code has them. */
export function databasesPage(): { readonly stored: string; readonly made: string } {
  const stored = readFileSync(page, 'utf8')
  const start = stored.indexOf(`**${databases[0][0]}**\n`)
  return { stored, made: stored.slice(0, start) + lists() }
}

if (import.meta.main) writeFileSync(page, databasesPage().made)
