// Writes docs/reference/configuration.md from the comments of config.ts, meta.ts and api.ts and from the key tables.

import { readFileSync, writeFileSync } from 'node:fs'
import { type KeyEntry, keyTable } from '../packages/core/src/model/settings/key-table.ts'
import { metaKeyOf } from '../packages/core/src/model/settings/meta.ts'

/** The page that this script writes. */
export const page = new URL('../docs/reference/configuration.md', import.meta.url)

const source = (file: string): string =>
  readFileSync(new URL(`../packages/core/src/${file}`, import.meta.url), 'utf8')

/** A member of an interface in the source. */
export interface Member {
  readonly section: string
  readonly name: string
  readonly type: string
  /** The default according to the comment of the member; empty if the comment has none. */
  readonly default: string
  /** The spelling in meta according to the comment, for example `role_map` or `api_role_map`. */
  readonly spelling: string
  readonly meaning: string
}

const memberForm =
  /^ {2}\/\/ -{10,} (?<section>.+)$|^ {2}\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n(?: {2}\/\/.*\n)*(?: {2}readonly (?<name>\w+)\??: (?<type>.+))?/gm

/** Returns the members of an interface in the order of the file; omits members without a comment. */
export function membersOf(file: string, name: string): Member[] {
  const text = source(file)
  const start = text.indexOf(`export interface ${name}`)
  const body = text.slice(text.indexOf('{\n', start), text.indexOf('\n}\n', start) + 1)
  let section = ''
  return [...body.matchAll(memberForm)].flatMap(({ groups = {} }) => {
    section = groups.section ?? section
    if (groups.name === undefined || groups.type === undefined) return []
    return [{ section, name: groups.name, type: groups.type, ...readComment(groups.comment ?? '') }]
  })
}

function readComment(comment: string): Pick<Member, 'default' | 'spelling' | 'meaning'> {
  let rest = comment
    .replace(/```[\s\S]*```/, '')
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const take = (form: RegExp): string => {
    const found = form.exec(rest)
    rest = rest.replace(form, '.').trim()
    return found?.[1] ?? ''
  }
  take(/\. Specification: [^.]*\.$/)
  const spelling = take(/\. Config, meta(?: \(([^)]*)\))?\.$/)
  take(/\. (Config only)\.$/)
  take(/\. (Unset by default)\.$/)
  const clause = take(/[.;] (?:Default|default):? (.*?)\.(?= [A-Z]|$)/)
  return { default: clause, spelling, meaning: rest }
}

/** The unions of strings by the name of the type; the table shows the strings instead of the name. */
const unions = new Map(
  [
    'model/settings/config.ts',
    'model/settings/settings.ts',
    'model/settings/access/access-types.ts',
  ].flatMap((file) =>
    [...source(file).matchAll(/^export type (\w+) = ((?:'\w+'(?: \| )?)+)$/gm)].map(
      ([, name = '', words = '']): [string, string] => [name, words],
    ),
  ),
)

const cell = (text: string): string => text.replaceAll('|', '\\|')
const code = (text: string): string => `\`${text}\``

/** Formats a type for the table: replaces names of unions by their strings, and omits `readonly` and type parameters. */
function shownType(type: string): string {
  let text = type.replaceAll('readonly ', '').replace(/<UserOf<UserModel>>/, '')
  for (const [name, words] of unions) {
    text = text.replace(new RegExp(`\\b${name}\\b(\\[\\])?`), (_, list?: string) =>
      list === undefined ? words : `(${words})[]`,
    )
  }
  return code(text)
}

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n')
}

/** Returns the default of a member as the table shows it: a dash if there is none. */
const shownDefault = (member: Member): string =>
  /^(none|unset)$/.test(member.default) || member.default === '' ? '–' : member.default

function shownMeta({ name, spelling }: Member, { level }: KeyEntry): string {
  if (level === 'api') return '–'
  if (spelling === '') return code(metaKeyOf(name))
  return spelling.startsWith('also') ? `${code(metaKeyOf(name))}, ${spelling}` : spelling
}

function sectionsOf(members: readonly Member[]): string {
  const titles = [...new Set(members.map(({ section }) => section))]
  return titles
    .map((title) => {
      const rows = members
        .filter(({ section }) => section === title)
        .map((member) => {
          const entry: KeyEntry = keyTable[member.name as keyof typeof keyTable]
          return [
            code(member.name),
            shownType(member.type),
            shownDefault(member),
            shownMeta(member, entry),
            member.meaning,
          ]
        })
      const head = ['Key', 'Type', 'Default', 'In meta', 'Meaning']
      /** A section of keys that belong to the whole API has no column "In meta". */
      const columns = rows.some(([, , , meta]) => meta !== '–') ? head : head.toSpliced(3, 1)
      const shown = columns === head ? rows : rows.map((cells) => cells.toSpliced(3, 1))
      const [words = ''] = title.split(';')
      const name = words.charAt(0).toUpperCase() + words.slice(1)
      return `## ${name}\n\n${table(columns, shown)}`
    })
    .join('\n\n')
}

const metaRows = (): string[][] =>
  membersOf('model/settings/meta.ts', 'OwnMeta').map((member) => [
    code(member.name),
    shownType(member.type),
    shownDefault(member),
    member.meaning,
  ])

const optionRows = (): string[][] =>
  membersOf('api.ts', 'ApiOptions').map((member) => [
    code(member.name),
    shownDefault(member),
    member.meaning,
  ])

/** Returns the whole page. */
export const configurationPage =
  (): string => `<!-- Written by scripts/configuration.ts; change the comments of packages/core/src/model/settings instead. -->

# Configuration

Every setting, its default and its meaning. The types of callbacks are in [hooks](../guide/hooks.md).

\`\`\`ts
const config: ApiConfig = { API_TITLE: 'Library', API_VERSION: '1.0', API_ALLOW_JOIN: true }
const Book = defineModel('Book', { columns, relations, meta: { allow_join: false, post_rate_limit: '5 per minute' } })
const api = createApi({ db, models: [Book], config })
\`\`\`

- A key with an entry under "In meta" may stand in a model's meta by that name. Meta goes before the configuration; only \`error_codes\` are added to those of the configuration.
- Callbacks and rate limits may be set for one method of a model: \`get_return_callback\`, \`post_rate_limit\` (\`get\`, \`post\`, \`patch\`, \`put\`, \`delete\`). A callback for a method goes before that of the model.
- Unknown keys, wrong values and contradictions are one error of \`createApi\` that lists all of them.

| Setting of a model | Counts for |
|---|---|
| \`allow_filters\`, \`allow_order_by\`, \`allow_select_fields\` | its columns, in requests to other models too: in joins, \`exists(…)\`, embedded records and, for filters and orders, aggregates other than counts |
| \`allow_join\`, \`allow_groupby\`, \`allow_aggregation\` | requests to its URL, whose columns of joined models may be grouped and aggregated too |

## What \`createApi\` takes

${table(['Option', 'Default', 'Meaning'], optionRows())}

${sectionsOf(membersOf('model/settings/config.ts', 'ApiConfig'))}

## Only in meta

${table(['Key', 'Type', 'Default', 'Meaning'], metaRows())}
`

if (import.meta.main) writeFileSync(page, configurationPage())
