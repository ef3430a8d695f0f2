/** Reads TypeScript sources roughly, for tests about the code itself: comments, strings, imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../', import.meta.url))

/** The parts of a source text; each has the length of the text, with spaces in place of the other parts. */
export interface Source {
  /** The code without comments, strings and regular expressions. */
  readonly code: string
  /** The text without comments. */
  readonly uncommented: string
  /** The contents of strings and templates only. */
  readonly strings: string
}

export interface Import {
  readonly from: string
  readonly typeOnly: boolean
  readonly kind: 'import' | 'export' | 'dynamic'
}

/** The paths of the files below a folder, relative to the repository and with forward slashes; none if there is no such folder. */
export function filesBelow(folder: string, extension: RegExp = /\.ts$/): string[] {
  // In a linked work tree of git, .git is a file.
  const skipped = new Set(['node_modules', 'dist', '.types', 'coverage', '.git'])
  const walk = (path: string): string[] =>
    readdirSync(join(repository, path), { withFileTypes: true }).flatMap((entry) => {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (skipped.has(entry.name)) return []
      if (entry.isDirectory()) return walk(below)
      return extension.test(entry.name) ? [below] : []
    })
  try {
    return walk(folder.replace(/\/$/, '')).sort()
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

export function readSource(file: string): string {
  return readFileSync(join(repository, file), 'utf8')
}

export function importsOf(text: string): Import[] {
  const { uncommented, code } = scan(text)
  const imports: Import[] = []
  const add = (at: number, from: string | undefined, kind: Import['kind'], type: unknown): void => {
    // Skips a match that begins inside a string.
    if (from !== undefined && code[at] !== ' ') {
      imports.push({ from, kind, typeOnly: type !== undefined })
    }
  }
  const named =
    /\b(import|export)\s+(type\s+)?(?:[\w$]+\s*,?\s*)?(?:[{*][^'"`;]*?)?\bfrom\s*['"]([^'"]+)['"]/g
  for (const match of uncommented.matchAll(named)) {
    add(match.index, match[3], match[1] as Import['kind'], match[2])
  }
  for (const match of uncommented.matchAll(/\bimport\s*['"]([^'"]+)['"]/g)) {
    add(match.index, match[1], 'import', undefined)
  }
  for (const match of uncommented.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g)) {
    add(match.index, match[1], 'dynamic', undefined)
  }
  return imports
}

/** Splits a source text. Tells by the characters before a slash whether it begins a regular expression or divides. */
export function scan(text: string): Source {
  const kinds = new Uint8Array(text.length)
  const mark = (from: number, to: number, kind: number): void => {
    kinds.fill(kind, from, to)
  }
  const endOf = (needle: string, from: number): number => {
    const found = text.indexOf(needle, from)
    return found === -1 ? text.length : found
  }
  /** The brace depth at which each open `${` began. */
  const templates: number[] = []
  let depth = 0
  let i = 0
  const template = (from: number): number => {
    let at = from
    while (at < text.length && text[at] !== '`') {
      if (text[at] === '\\') at++
      else if (text.startsWith('${', at)) {
        mark(from, at, string)
        templates.push(depth)
        return at + 2
      }
      at++
    }
    mark(from, at, string)
    return at + 1
  }
  while (i < text.length) {
    const char = text[i]
    if (text.startsWith('//', i) || (i === 0 && text.startsWith('#!'))) {
      const end = endOf('\n', i)
      mark(i, end, comment)
      i = end
    } else if (text.startsWith('/*', i)) {
      const end = Math.min(text.length, endOf('*/', i + 2) + 2)
      mark(i, end, comment)
      i = end
    } else if (char === "'" || char === '"') {
      const end = endOfQuoted(text, i + 1, char)
      mark(i + 1, end, string)
      i = end + 1
    } else if (char === '`') {
      i = template(i + 1)
    } else if (char === '{') {
      depth++
      i++
    } else if (char === '}') {
      if (templates.at(-1) === depth) {
        templates.pop()
        i = template(i + 1)
      } else {
        depth--
        i++
      }
    } else if (char === '/' && beginsRegExp(text, kinds, i)) {
      const end = endOfRegExp(text, i + 1)
      mark(i + 1, end, regExp)
      i = end + 1
    } else {
      i++
    }
  }
  const keep = (...wanted: number[]): string =>
    [...text.split('')]
      .map((char, at) => (char === '\n' || wanted.includes(kinds[at] ?? 0) ? char : ' '))
      .join('')
  return {
    code: keep(plainCode),
    uncommented: keep(plainCode, string, regExp),
    strings: keep(string),
  }
}

const plainCode = 0
const comment = 1
const string = 2
const regExp = 3

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from
  while (at < text.length && text[at] !== quote && text[at] !== '\n')
    at += text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}

function endOfRegExp(text: string, from: number): number {
  let inClass = false
  let at = from
  for (; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    else if (text[at] === '/' && !inClass) break
  }
  return Math.min(at, text.length)
}

function beginsRegExp(text: string, kinds: Uint8Array, slash: number): boolean {
  let at = slash - 1
  while (at >= 0 && (kinds[at] === comment || /\s/.test(text[at] ?? ''))) at--
  if (at < 0) return true
  const before = text[at] ?? ''
  if (/[(,=:[!&|?{};+\-*%<>~^]/.test(before)) return true
  if (!/[\w$]/.test(before)) return false
  const word = /[\w$]+$/.exec(text.slice(0, at + 1))?.[0] ?? ''
  return /^(return|typeof|case|in|of|await|yield|void|delete|do|else)$/.test(word)
}
