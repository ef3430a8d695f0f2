// Formats what `serve` and `models` publish and what not, as lines of output. Functions return no lines if there is nothing to say.

import type { Registry } from '@model-api/core'
import type {
  GivenRelation,
  HeldBack,
  IntrospectionNote,
  LeftOut,
  ListOnly,
} from '@model-api/core/introspect'
import { relationLine } from '../relations-file.ts'

/** Maximum number of suggestions that are shown; further ones are counted. */
const mostSuggestions = 40

/** Maximum number of names per line; further ones are counted. */
const mostNames = 8

/** Joins names as `a, b, c`; of ten or more names, shows eight and counts the others. */
export function listedNames(names: readonly string[]): string {
  const more = names.length - mostNames
  return more > 1 ? `${names.slice(0, mostNames).join(', ')} … and ${more} more` : names.join(', ')
}

/** Returns one line per endpoint: path, number of columns and of rows, relations. */
export function describeResources(registry: Registry, prefix: string): string[] {
  const rows = registry.resources.map((resource) => [
    `${prefix}/${resource.paths[0]}`,
    plural(resource.columns.size, 'column'),
    resource.settings.size ?? '',
    listedNames([...resource.relations.keys()]),
  ])
  return ['Published', ...aligned(rows)]
}

/** Lists the tables that are not published; tables with the same reason together. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return []
  return ['', 'Left out', ...linesByReason(leftOut)]
}

function linesByReason(tables: readonly (LeftOut | ListOnly)[]): string[] {
  const byReason = new Map<string, string[]>()
  for (const { table, reason } of tables) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), table])
  }
  return [...byReason].map(([reason, names]) => `  ${listedNames(names)}: ${reason}`)
}

/** Lists the published tables and views without a key, and how to give them one. `published` has the names of published tables. */
export function describeListOnly(
  listOnly: readonly ListOnly[],
  published: ReadonlySet<string>,
): string[] {
  const shown = listOnly.filter(({ table }) => published.has(table))
  const [first] = shown
  if (first === undefined) return []
  return [
    '',
    'Lists only, without single records',
    ...linesByReason(shown),
    `  To give one a key: --key ${first.table}=<column>,… names columns that together are never NULL and differ in every row.`,
  ]
}

/** Lists the tables and columns that look like credentials, and how to publish them. `published` has the names of published tables. */
export function describeHeldBack(
  heldBack: readonly HeldBack[],
  published: ReadonlySet<string>,
): string[] {
  const columns = heldBack.flatMap(({ table, column }) =>
    column === undefined || !published.has(table) ? [] : [`${table}.${column}`],
  )
  const tables = heldBack.flatMap(({ table, column }) =>
    column !== undefined || published.has(table) ? [] : [table],
  )
  if (columns.length + tables.length === 0) return []
  return [
    '',
    'Held back, since their names look like those of credentials',
    ...(columns.length === 0 ? [] : wrapped(`columns, hidden: ${columns.join(', ')}`)),
    ...(tables.length === 0 ? [] : wrapped(`tables, not published: ${tables.join(', ')}`)),
    `  To publish one that is no credential: --publish ${columns[0] ?? tables[0]},…`,
  ]
}

/** Lists the relations that column names suggest, as lines for the file of `--relations`. */
export function describeSuggestions(suggestions: readonly GivenRelation[]): string[] {
  if (suggestions.length === 0) return []
  const shown = suggestions
    .slice(0, mostSuggestions)
    .map((suggested) => `  ${relationLine(suggested)}`)
  const more = suggestions.length - shown.length
  return [
    '',
    'Relations that names suggest; none is taken. Lines to keep go into a file for --relations',
    ...shown,
    ...(more > 0 ? [`  … and ${more} more; --suggest all prints all of them as such a file`] : []),
  ]
}

/** Lists what introspection remarks about tables and columns. */
export function describeNotes(notes: readonly IntrospectionNote[]): string[] {
  if (notes.length === 0) return []
  const lines = notes.map(
    ({ table, column, note }) => `  ${table}${column === undefined ? '' : `.${column}`}: ${note}`,
  )
  return ['', 'Notes', ...lines]
}

const lineWidth = 100

/** Wraps text into indented lines. */
export function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > lineWidth) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** `1 column`, `2 columns` */
export const plural = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? '' : 's'}`

/** Aligns cells in columns, two spaces apart, indented. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length))) ?? []
  return rows.map((row) => {
    const cells = row.map((cell, i) => cell.padEnd(widths[i] ?? 0))
    return `  ${cells.join('  ')}`.trimEnd()
  })
}
