// Writes docs/reference/configuration.md from the table of settings and its comments, and from those of the options in api.ts.

import { readFileSync, writeFileSync } from 'node:fs'
import { metaKeyOf } from '../packages/core/src/model/settings/meta.ts'
import { settingTable } from '../packages/core/src/model/settings/setting-table.ts'

/** The page that this script writes. */
export const page = new URL('../docs/reference/configuration.md', import.meta.url)

const source = (file: string): string =>
  readFileSync(new URL(`../packages/core/src/${file}`, import.meta.url), 'utf8')

/** A setting, or an option of `createApi`, in the source. */
export interface Member {
  readonly section: string
  readonly name: string
  readonly type: string
  /** The default according to the comment of the member; empty if the comment has none. */
  readonly default: string
  readonly meaning: string
}

const memberForm =
  /^ {2}\/\/ -{10,} (?<section>.+)$|^ {2}\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n(?: {2}\/\/.*\n)*(?: {2}readonly (?<name>\w+)\??:\s+(?:(?:Unset)?(?:Api|Model|Meta)(?:Setting|Part)<(?<value>[^=]+)> =|(?<type>.+)))?/gm

/** Returns the members of an interface or class in the order of the file; omits members without a comment. */
export function membersOf(file: string, name: string): Member[] {
  const text = source(file)
  const start = text.search(new RegExp(`^export (?:interface|class) ${name}\\b`, 'm'))
  const body = text.slice(text.indexOf('{\n', start), text.indexOf('\n}\n', start) + 1)
  let section = ''
  return [...body.matchAll(memberForm)].flatMap(({ groups = {} }) => {
    section = groups.section ?? section
    const { name, value, type = value } = groups
    if (name === undefined || type === undefined) return []
    return [{ section, name, type, ...readComment(groups.comment ?? '') }]
  })
}

/** Returns the settings of the table: those of config, or those that only meta has. */
export const settingsOf = (place: 'config' | 'meta'): Member[] =>
  membersOf('model/settings/setting-table.ts', 'SettingTable').filter(
    (member) => (levelOf(member) === 'model') === (place === 'meta'),
  )

const levelOf = ({ name }: Member) => settingTable[name as keyof typeof settingTable].level

function readComment(comment: string): Pick<Member, 'default' | 'meaning'> {
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
  take(/\. (Unset by default)\.$/)
  const clause = take(/[.;] (?:Default|default):? (.*?)\.(?= [A-Z]|$)/)
  return { default: clause, meaning: rest }
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

const code = (text: string): string => `\`${text}\``

/** Formats a type: replaces names of unions by their strings, and omits `readonly` and type parameters. */
function shownType(type: string): string {
  let text = type.replaceAll('readonly ', '').replace(/<.*>/, '')
  for (const [name, words] of unions) {
    text = text.replace(new RegExp(`\\b${name}\\b(\\[\\])?`), (_, list?: string) =>
      list === undefined ? words : `(${words})[]`,
    )
  }
  return code(text)
}

/** Returns the default of a member, empty if there is none. */
const shownDefault = (member: Member): string =>
  /^(none|unset)$/.test(member.default) ? '' : member.default

/** Shows the default, and the type only where the default does not tell it. */
function shownValue(member: Member): string {
  const type = shownType(member.type)
  const standard = shownDefault(member)
  if (standard === '') return type
  return /^`(?:boolean|number|string)`$/.test(type) ? standard : `${type}; ${standard}`
}

/** One line for each member: its name, its value in parentheses, its meaning. */
const list = (members: readonly Member[], shown: (member: Member) => string): string =>
  members
    .map((member) => {
      const value = shown(member)
      return `- ${code(member.name)}${value === '' ? '' : ` (${value})`}: ${member.meaning}`
    })
    .join('\n')

const isInMeta = (member: Member): boolean => levelOf(member) !== 'api'

/** Says which keys of a section meta has too; nothing if it has none. */
function shownMeta(members: readonly Member[]): string {
  const others = members.filter((member) => !isInMeta(member)).map(({ name }) => code(name))
  if (others.length === members.length) return ''
  if (others.length === 0) return 'Also in meta.\n\n'
  if (others.length <= members.length / 2) return `Also in meta, except ${others.join(', ')}.\n\n`
  return `Also in meta: ${members
    .filter(isInMeta)
    .map(({ name }) => code(metaKeyOf(name)))
    .join(', ')}.\n\n`
}

function sectionsOf(members: readonly Member[]): string {
  const titles = [...new Set(members.map(({ section }) => section))]
  return titles
    .map((title) => {
      const own = members.filter(({ section }) => section === title)
      const [words = ''] = title.split(';')
      const name = words.charAt(0).toUpperCase() + words.slice(1)
      return `## ${name}\n\n${shownMeta(own)}${list(own, shownValue)}`
    })
    .join('\n\n')
}

/** Returns the whole page. */
export const configurationPage =
  (): string => `<!-- Written by scripts/configuration.ts; change the comments of packages/core/src/model/settings/setting-table.ts instead. -->

# Configuration

Every setting, with its default in parentheses, or its type if it is unset. [Hooks](../guide/hooks.md) has the callbacks.

\`\`\`ts
const config: ApiConfig = { API_TITLE: 'Library', API_VERSION: '1.0', API_ALLOW_JOIN: true }
const Book = defineModel('Book', { columns, relations, meta: { allow_join: false, post_rate_limit: '5 per minute' } })
const api = createApi({ db, models: [Book], config })
\`\`\`

- Keys that are *also in meta* may be set for one model, without \`API_\` and in lower case: \`allow_join\`. Meta takes precedence; only \`error_codes\` are added to those of the configuration.
- Callbacks and rate limits may be set for one method of a model, which takes precedence again: \`get_return_callback\`, \`post_rate_limit\` (\`get\`, \`post\`, \`patch\`, \`put\`, \`delete\`).
- \`createApi\` reports all unknown keys, wrong values and contradictions in one error.

The settings of a model apply to requests to its URL, also to columns of joined models there. Three apply to its own columns instead, in requests to any model: \`allow_filters\`, \`allow_order_by\` and \`allow_select_fields\`. They cover joins, \`exists(…)\`, embedded records and, for filters and orders, aggregates other than counts.

## What \`createApi\` takes

${list(membersOf('api.ts', 'ApiOptions'), shownDefault)}

${sectionsOf(settingsOf('config'))}

## Only in meta

${list(settingsOf('meta'), shownValue)}
`

if (import.meta.main) writeFileSync(page, configurationPage())
