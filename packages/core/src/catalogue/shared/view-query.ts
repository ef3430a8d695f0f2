// Reads the SELECT of a view: whether its rows are rows of one table, for the key of its model (`readViewQuery`), and which names it uses, to
// find credentials among them (`namesInView`).

import {
  isKeyword,
  isSymbol,
  type SqlToken,
  splitTokens,
  sqlTokens,
} from '../../dialect/shared/sql/sql-tokens.ts'

/** A view over one table, without joins, groups or set operations: each of its rows is a different row of the table. */
export interface ViewQuery {
  /** As written in the query; undefined if the table is not qualified. */
  readonly schema: string | undefined
  readonly table: string
  /** For each item of the select list: the column that the view shows unchanged, `everyColumn` for `*`, or null for an expression. */
  readonly columns: readonly (string | typeof everyColumn | null)[]
}

/** Stands for `*`: all columns of the table. */
export const everyColumn: unique symbol = Symbol('*')

/** A token, and the number of parentheses around it. */
interface Token extends SqlToken {
  readonly depth: number
}

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
  /** The names in the rest of the text, such as those of tables and in conditions. */
  readonly others: readonly string[]
}

const setOperations = new Set(['union', 'intersect', 'except', 'minus'])

/** `select id, upper(name) as title from books where sold` → items [id], [upper, name, as, title]; others [from, books, where, sold] */
export function namesInView(text: string): NamesInView {
  const whole = tokensOf(text)
  const as = isWord(whole[0], 'create') ? whole.findIndex((token) => isWord(token, 'as')) : -1
  const tokens = whole.slice(as + 1)
  const from = tokens.findIndex((token) => isWord(token, 'from'))
  const isOne =
    isWord(tokens[0], 'select') &&
    !text.includes('\\') &&
    !tokens.some((token) => token.depth === 0 && isAnyWord(token, setOperations))
  if (!isOne) return { items: undefined, others: namesOf(tokens) }
  const end = from === -1 ? tokens.length : from
  const items = listOf(tokens.slice(1, end))
  const hasAll = items.some((item) => item.at(-1)?.raw === '*')
  if (hasAll) return { items: undefined, others: namesOf(tokens) }
  return { items: items.map(namesOf), others: namesOf(tokens.slice(end)) }
}

const namesOf = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => (isAnyName(token) ? [nameOf(token)] : []))

/** Splits the text into tokens, without the semicolon at its end. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const token of sqlTokens(text, 'plain')) {
    if (isSymbol(token, ')')) depth -= 1
    tokens.push({ ...token, depth })
    if (isSymbol(token, '(')) depth += 1
  }
  return tokens.at(-1)?.raw === ';' ? tokens.slice(0, -1) : tokens
}

/** Whether the token is this keyword outside of all parentheses. */
const isWord = (token: Token | undefined, word: string): boolean =>
  token?.depth === 0 && isKeyword(token, word)

const isAnyWord = (token: Token, words: ReadonlySet<string>): boolean =>
  token.kind === 'name' && words.has(token.text)

const isAnyName = ({ kind }: Token): boolean => kind === 'name' || kind === 'quoted'

const isName = (token: Token | undefined): token is Token =>
  token !== undefined && token.depth === 0 && isAnyName(token)

/** The name as the query writes it, without quotes. */
const nameOf = ({ kind, text, raw }: Token): string => (kind === 'quoted' ? text : raw)

/** The one table after FROM. */
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
  let alias = table
  if (isName(rest[0]) && !isAnyWord(rest[0], afterSource)) {
    alias = nameOf(rest[0])
    rest = rest.slice(1)
  }
  if (rest[0] !== undefined && !(rest[0].depth === 0 && isAnyWord(rest[0], afterSource))) {
    return undefined
  }
  return { schema, table, alias }
}

/** Reads names joined by dots. */
function pathAt(tokens: readonly Token[]): string[] {
  const path: string[] = []
  for (let i = 0; ; i += 2) {
    const token = tokens[i]
    if (!isName(token)) return path
    path.push(nameOf(token))
    if (tokens[i + 1]?.raw !== '.') return path
  }
}

/** Splits a select list at its commas. */
const listOf = (tokens: readonly Token[]): readonly (readonly Token[])[] =>
  splitTokens(tokens, (token) => isSymbol(token, ','))

/** Returns the column that an item of the select list shows (`b.title as name` → `title`), `everyColumn` for `*`, or null for an expression. */
function columnOf(
  item: readonly Token[],
  source: SourceOfView,
): string | typeof everyColumn | null {
  if (item.at(-1)?.raw === '*') {
    const isPlain = item.length === 1 || (item.length === 3 && isOwn(pathAt(item)[0], source))
    return isPlain && item.every(({ depth }) => depth === 0) ? everyColumn : null
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

/** Whether a qualifier, the `b` of `b.title`, is that of the one table. */
const isOwn = (qualifier: string | undefined, { alias }: SourceOfView): boolean =>
  qualifier?.toLowerCase() === alias.toLowerCase()
