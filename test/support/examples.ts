/** Reads the examples of a Markdown page (requests with their response and SQL), and writes them back to it. */
import type { JsonValue } from '@model-api/core'

/** A fenced block of a page. */
interface Block {
  readonly language: string
  readonly text: string
  /** Lines of the fences, from 0. */
  readonly first: number
  readonly last: number
}

/** An example: an `http` block, and the blocks that follow it. */
export interface Example {
  /** Line of the page, from 1, for messages. */
  readonly line: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly answer: Block | undefined
  readonly sql: Block | undefined
  /** Settings that a `<!-- config {…} -->` above the block adds. */
  readonly config: string
}

/** The examples of a page, in order. */
export function examplesOf(page: string): Example[] {
  const lines = page.split('\n')
  const blocks = blocksOf(lines)
  return blocks.flatMap((block, i) => {
    if (block.language !== 'http') return []
    const following = blocks.slice(i + 1)
    const end = following.findIndex(({ language }) => language === 'http')
    const own = end === -1 ? following : following.slice(0, end)
    const [head = '', body] = block.text.split('\n\n')
    const [first = '', ...headerLines] = head.split('\n')
    const [method = '', url = ''] = first.split(' ')
    return [
      {
        line: block.first + 1,
        method,
        url,
        headers: Object.fromEntries(headerLines.map((line) => splitHeader(line))),
        body,
        answer: own.find(({ language }) => language === 'json'),
        sql: own.find(({ language }) => language === 'sql'),
        config: configAbove(lines, block.first),
      },
    ]
  })
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function configAbove(lines: readonly string[], before: number): string {
  for (let i = before - 1; i >= 0; i--) {
    const match = /^<!-- config (.*) -->$/.exec(lines[i] ?? '')
    if (match !== null) return match[1] ?? '{}'
    if (/^#/.test(lines[i] ?? '')) return '{}'
  }
  return '{}'
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  for (let i = 0; i < lines.length; i++) {
    const language = /^```(\S+)/.exec(lines[i] ?? '')?.[1]
    if (language === undefined) continue
    const first = i
    while (lines[++i] !== '```')
      if (i > lines.length) throw new Error(`line ${first + 1}: unclosed`)
    blocks.push({ language, text: lines.slice(first + 1, i).join('\n'), first, last: i })
  }
  return blocks
}

/** The part of a body that an example shows: without times, and without members that are the same in every response. */
export function shown(body: Readonly<Record<string, JsonValue>>): JsonValue {
  const { datetime, api_version, response_ms, previous_url, next_url, ...rest } = body
  if (rest.errors !== null)
    return { status_code: rest.status_code ?? null, errors: rest.errors ?? null }
  return {
    total_count: rest.total_count ?? null,
    ...(next_url === null || next_url === undefined ? {} : { next_url }),
    ...(previous_url === null || previous_url === undefined ? {} : { previous_url }),
    value: rest.value ?? null,
  }
}

/** Whether `part` equals `whole`. `part` may lack members of objects, but no items of lists. */
export function isPartOf(part: JsonValue, whole: JsonValue): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      part.length === whole.length &&
      part.every((item, i) => isPartOf(item, whole[i] as JsonValue))
    )
  }
  if (typeof part === 'object' && part !== null) {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false
    const members = whole as Readonly<Record<string, JsonValue>>
    return Object.entries(part).every(
      ([key, value]) => Object.hasOwn(members, key) && isPartOf(value, members[key] as JsonValue),
    )
  }
  return part === whole
}

/** SQL as a page prints it, with one clause on each line. */
export const printSql = (statements: readonly string[]): string =>
  statements
    .map((text) =>
      text.replaceAll(
        / (?=(?:from|where|inner join|left join|right join|group by|having|order by|limit) )/g,
        '\n',
      ),
    )
    .join(';\n')

/** The text on one line, to compare texts whose line breaks differ. */
export const flat = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim()

/** JSON as a page prints it: short lists and objects on one line. */
export function printJson(value: JsonValue, indent = ''): string {
  const line = inline(value)
  if (line.length + indent.length <= 110 || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + printJson(item, inner)).join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${printJson(item as JsonValue, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${indent}}`
}

function inline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${inline(item as JsonValue)}`,
  )
  return `{${members.join(', ')}}`
}

/** The page with new texts in some of its blocks. */
export function replaceBlocks(page: string, texts: ReadonlyMap<Block, string>): string {
  const lines = page.split('\n')
  const blocks = [...texts.keys()].sort((a, b) => b.first - a.first)
  for (const block of blocks) {
    lines.splice(
      block.first + 1,
      block.last - block.first - 1,
      ...(texts.get(block) ?? '').split('\n'),
    )
  }
  return lines.join('\n')
}

export type { Block }
