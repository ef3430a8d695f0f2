// Writes the tables of session settings in docs/guide/deployment.md from the tables of the dialects.

import { readFileSync, writeFileSync } from 'node:fs'
import { sessionSettings } from '../packages/core/src/dialect/session-settings.ts'
import type { SessionSettings } from '../packages/core/src/dialect/shared/session/session-settings.ts'

const page = new URL('../docs/guide/deployment.md', import.meta.url)

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

function independentRows(database: string, { independent }: SessionSettings): readonly string[] {
  return Object.entries(independent).map(([names, why]) => {
    const [, kind = '', list = ''] = /^(sql_mode: )?(.*)$/.exec(names) ?? []
    const shown = list.split(', ').map((name) => `\`${name}\``)
    const prefix = kind === '' ? '' : '`sql_mode`: '
    return `| ${database} | ${prefix}${shown.join(', ')} | ${why.replaceAll('|', '\\|')} |`
  })
}

/** Both tables, and the sentence between them. */
const tables = (): string =>
  [
    '| Database | Setting | Needed | Otherwise |',
    '|---|---|---|---|',
    ...databases.flatMap(([name, settings]) => checkedRows(name, settings)),
    '',
    'Other values of these settings change nothing, or only what the table says:',
    '',
    '| Database | Setting | Why |',
    '|---|---|---|',
    ...databases.flatMap(([name, settings]) => independentRows(name, settings)),
    '',
    '',
  ].join('\n')

/** Returns docs/guide/deployment.md, and the same with the tables as they are in the code. */
export function deploymentPage(): { readonly stored: string; readonly made: string } {
  const stored = readFileSync(page, 'utf8')
  const start = stored.indexOf('| Database | Setting | Needed |')
  const end = stored.indexOf('### ', start)
  return { stored, made: stored.slice(0, start) + tables() + stored.slice(end) }
}

if (import.meta.main) writeFileSync(page, deploymentPage().made)
