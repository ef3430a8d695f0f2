/** Finds the quoted identifiers and the literals in SQL text, to check where they come from. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseName } from '../databases.ts'
import { documentPaths } from './schema.ts'

/** Names that the compiler makes up. */
const own =
  /^(C|value \d+|rows of \d+|counts of \d+|key \d+|key \d+ of \d+|key_\d+|link_\d+|parent_\d+|place \d+|place among equals|aggregate \d+|value|text \d+|joined \d+ \d+|r|total|total of all|object of row|list of objects|number of objects|page|n|counted|ranked|rank_in_parent|keys|junction of|partner of)$/

/** Aliases that the compiler derives from a name: for the rows of its junction, or if the name is already used. */
const derived = [/^links of (.+)$/, /^(.+) links$/, /^(.+)_\d+$/]

/** The quoted names that come neither from the registry nor from the compiler; labels of clients are in no statement. */
export function foreignIdentifiers(
  name: DatabaseName,
  text: string,
  known: ReadonlySet<string>,
): string[] {
  return identifiers(name, text).filter((identifier) => {
    let base = identifier
    for (const form of derived) base = form.exec(base)?.[1] ?? base
    return ![identifier, base].some((part) => known.has(part) || own.test(part))
  })
}

interface Piece {
  readonly kind: 'identifier' | 'literal' | 'other'
  readonly text: string
}

const identifiers = (name: DatabaseName, text: string): string[] =>
  pieces(name, text)
    .filter(({ kind }) => kind === 'identifier')
    .map((piece) => piece.text)

/** The paths into json columns that models declare, as each database writes them. */
const paths: ReadonlySet<string> = new Set(
  Object.keys(documentPaths).flatMap((path) => {
    const names = path.split('.').map((name) => `"${name}"`)
    return [`$.${names.join('.')}`, `{${names.join()}}`]
  }),
)

/** The string literals that are neither in the source of the core nor a declared path. */
export function strangeLiterals(name: DatabaseName, text: string): string[] {
  return pieces(name, text)
    .filter(({ kind }) => kind === 'literal')
    .map((piece) => piece.text)
    .filter((literal) => !paths.has(literal))
    .filter((literal) => {
      const quoted = `'${literal.replaceAll("'", "''")}'`
      // In a template literal, a backslash is written twice.
      return ![quoted, quoted.replaceAll('\\', '\\\\')].some((text) => source().includes(text))
    })
}

let read: string | undefined

/** The text of all files that contain SQL. */
function source(): string {
  const folder = fileURLToPath(new URL('../../../packages/core/src/', import.meta.url))
  read ??= ['dialect', 'compile', 'sql']
    .filter((name) => existsSync(join(folder, name)))
    .flatMap((name) => {
      const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      return files.filter((file) => file.endsWith('.ts')).map((file) => join(folder, name, file))
    })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  return read
}

/** Identifiers in double quotes (MySQL: backticks), literals in single quotes; doubled quotes stand for themselves. */
function pieces(name: DatabaseName, text: string): Piece[] {
  const quote = name === 'mysql' ? '`' : '"'
  const found: Piece[] = []
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char !== quote && char !== "'") {
      at += 1
      continue
    }
    let content = ''
    at += 1
    for (; at < text.length; at += 1) {
      if (text.charAt(at) !== char) content += text.charAt(at)
      else if (text.charAt(at + 1) === char) {
        content += char
        at += 1
      } else break
    }
    at += 1
    found.push({ kind: char === quote ? 'identifier' : 'literal', text: content })
  }
  return found
}
