// sqliteCollations: finds COLLATE clauses in a CREATE TABLE text, `"name" text collate nocase`: the one property of a column that no SQLite
// pragma returns.

interface Token {
  readonly text: string
  /** The depth of the parentheses around it. */
  readonly depth: number
  /** A quoted name, which is never a keyword. */
  readonly quoted: boolean
}

const tokenPattern =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|[\p{L}\p{N}_$]+|[(),]/gu

/** Returns the collations of columns that have a COLLATE clause, in upper case, by the lower-case names of the columns. */
export function sqliteCollations(createTable: string): Map<string, string> {
  const found = new Map<string, string>()
  if (!/collate/i.test(createTable)) return found
  for (const definition of definitions(tokens(createTable))) {
    const name = definition[0]
    if (name === undefined) continue
    if (!name.quoted && /^(?:constraint|primary|unique|check|foreign)$/i.test(name.text)) break
    const clause = definition.findIndex(
      (token) => token.depth === 1 && !token.quoted && /^collate$/i.test(token.text),
    )
    const collation = definition[clause + 1]
    if (clause > 0 && collation !== undefined) {
      found.set(name.text.toLowerCase(), collation.text.toUpperCase())
    }
  }
  return found
}

function tokens(text: string): Token[] {
  let depth = 0
  const list: Token[] = []
  for (const match of text.matchAll(tokenPattern)) {
    const raw = match[0]
    if (raw.startsWith('--') || raw.startsWith('/*')) continue
    if (raw === ')') depth -= 1
    const name = match[1]?.replaceAll('""', '"') ?? match[2]?.replaceAll('``', '`') ?? match[3]
    list.push({ text: name ?? raw, depth, quoted: name !== undefined })
    if (raw === '(') depth += 1
  }
  return list
}

/** Returns the comma-separated parts between the outermost parentheses. */
function definitions(list: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of list) {
    if (token.depth < 1) continue
    if (token.depth === 1 && token.text === ',' && !token.quoted) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}
