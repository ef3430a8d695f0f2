// Reads the SELECT of a view, to tell whether its rows are rows of one table, and which names it uses.

/** A view over one table, without joins, groups or set operations: each of its rows is a different row of the table. */
export interface ViewQuery {
  /** As written in the query; undefined if the table is not qualified. */
  readonly schema: string | undefined
  readonly table: string
  /** For each item of the select list: the column that the view shows unchanged, `all` for `*`, or null for an expression. */
  readonly columns: readonly (string | typeof all | null)[]
}

/** Stands for `*`: all columns of the table. */
export const all: unique symbol = Symbol('*')

interface Token {
  readonly text: string
  /** The number of parentheses around the token. */
  readonly depth: number
  readonly kind: 'name' | 'quoted' | 'other'
}

const pattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([\p{L}_][\p{L}\p{N}_$]*)|[0-9][0-9.]*|\S/gu

/** Words in a query whose rows may not correspond to single rows of the table. */
const combining = new Set([
  'distinct',
  'group',
  'having',
  'union',
  'intersect',
  'except',
  'minus',
  'join',
  'cross',
  'natural',
  'lateral',
  'limit',
  'offset',
  'fetch',
])

/**
 * Reads the text of a view, with or without `create view … as`; undefined if it may read more than one table or combine rows.
 *
 * `select b.id, upper(b.title) as title from books b where b.sold` → books, columns `id` and null
 */
export function readViewQuery(text: string): ViewQuery | undefined {
  // A backslash may escape a quote in one database and not in another.
  if (text.includes('\\')) return undefined
  const tokens = tokensOf(text)
  const start = tokens.findIndex((token) => isWord(token, 'select'))
  const from = tokens.findIndex((token) => isWord(token, 'from'))
  const isQuery = start === 0 || (isWord(tokens[0], 'create') && isWord(tokens[start - 1], 'as'))
  if (start === -1 || from < start || !isQuery) return undefined
  if (tokens.slice(start).some((token) => token.depth === 0 && isAnyWord(token, combining))) {
    return undefined
  }
  const source = readSource(tokens.slice(from + 1))
  if (source === undefined) return undefined
  const columns = listOf(tokens.slice(start + 1, from)).map((item) => columnOf(item, source))
  return { schema: source.schema, table: source.table, columns }
}

/** The names that the text of a view contains. */
export interface NamesInView {
  /** The names in each item of the select list, including aliases; undefined if there are several select lists, or a `*`. */
  readonly items: readonly (readonly string[])[] | undefined
  /** The names in the rest of the text. */
  readonly rest: readonly string[]
}

const setOperations = new Set(['union', 'intersect', 'except', 'minus'])

export function namesInView(text: string): NamesInView {
  const all = tokensOf(text)
  const as = isWord(all[0], 'create') ? all.findIndex((token) => isWord(token, 'as')) : -1
  const tokens = all.slice(as + 1)
  const from = tokens.findIndex((token) => isWord(token, 'from'))
  const isOne =
    isWord(tokens[0], 'select') &&
    !text.includes('\\') &&
    !tokens.some((token) => token.depth === 0 && isAnyWord(token, setOperations))
  if (!isOne) return { items: undefined, rest: namesOf(tokens) }
  const end = from === -1 ? tokens.length : from
  const items = listOf(tokens.slice(1, end))
  const hasAll = items.some((item) => item.at(-1)?.text === '*')
  if (hasAll) return { items: undefined, rest: namesOf(tokens) }
  return { items: items.map(namesOf), rest: namesOf(tokens.slice(end)) }
}

const namesOf = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, text }) => (kind === 'other' ? [] : [text]))

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const match of text.matchAll(pattern)) {
    const [raw, double, backtick, bracket, word] = match
    if (raw.startsWith('--') || raw.startsWith('/*')) continue
    if (raw === ')') depth -= 1
    const quoted = double?.replaceAll('""', '"') ?? backtick?.replaceAll('``', '`') ?? bracket
    const kind = quoted !== undefined ? 'quoted' : word !== undefined ? 'name' : 'other'
    tokens.push({ text: quoted ?? raw, depth, kind })
    if (raw === '(') depth += 1
  }
  return tokens.at(-1)?.text === ';' ? tokens.slice(0, -1) : tokens
}

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === 'name' && token.depth === 0 && token.text.toLowerCase() === word

const isAnyWord = (token: Token, words: ReadonlySet<string>): boolean =>
  token.kind === 'name' && words.has(token.text.toLowerCase())

const isName = (token: Token | undefined): token is Token =>
  token !== undefined && token.kind !== 'other' && token.depth === 0

interface SourceOfView {
  readonly schema: string | undefined
  readonly table: string
  /** The name that columns are qualified by. */
  readonly alias: string
}

const afterSource = new Set(['where', 'order', 'window'])

/** Reads `schema.table as alias`; undefined if anything but WHERE and ORDER BY follows. */
function readSource(tokens: readonly Token[]): SourceOfView | undefined {
  const path = pathAt(tokens)
  const [table, schema, ...more] = [...path].reverse()
  if (table === undefined || more.length > 0) return undefined
  let rest = tokens.slice(path.length * 2 - 1)
  if (isWord(rest[0], 'as')) rest = rest.slice(1)
  const hasAlias = isName(rest[0]) && !(rest[0].kind === 'name' && isAnyWord(rest[0], afterSource))
  const alias = hasAlias ? (rest[0]?.text ?? table) : table
  if (hasAlias) rest = rest.slice(1)
  if (rest[0] !== undefined && !(rest[0].depth === 0 && isAnyWord(rest[0], afterSource))) {
    return undefined
  }
  return { schema, table, alias }
}

/** Reads names joined by dots. */
function pathAt(tokens: readonly Token[]): string[] {
  const path: string[] = []
  for (let i = 0; isName(tokens[i]); i += 2) {
    path.push((tokens[i] as Token).text)
    if (tokens[i + 1]?.text !== '.') break
  }
  return path
}

/** Returns the parts between those commas that are outside of parentheses. */
function listOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (token.depth === 0 && token.kind === 'other' && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

function columnOf(item: readonly Token[], source: SourceOfView): string | typeof all | null {
  const last = item.at(-1)
  if (last?.kind === 'other' && last.text === '*') {
    const isPlain = item.length === 1 || (item.length === 3 && isOwn(item[0]?.text, source))
    return isPlain && item.every(({ depth }) => depth === 0) ? all : null
  }
  const path = pathAt(item)
  const name = path.at(-1)
  const qualifier = path.at(-2)
  if (name === undefined || path.length > 3) return null
  if (qualifier !== undefined && !isOwn(qualifier, source)) return null
  const rest = item.slice(path.length * 2 - 1)
  const alias = isWord(rest[0], 'as') ? rest.slice(1) : rest
  return alias.length === 0 || (alias.length === 1 && isName(alias[0])) ? name : null
}

const isOwn = (qualifier: string | undefined, { alias }: SourceOfView): boolean =>
  qualifier?.toLowerCase() === alias.toLowerCase()
