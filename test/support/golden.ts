/** Golden files: a request with its query tree, plan, statements and response, in one text. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diffLines } from './diff.ts'
import { printValue } from './print-value.ts'

const inputs = ['request', 'config'] as const
/**
 * The statements have a section for each engine, but a section `mysql` only if MySQL gets other statements than MariaDB. `response`
 * is one section for all databases, because they must agree.
 */
const outputs = [
  'ast',
  'plan',
  'sqlite',
  'postgres',
  'mariadb',
  'mysql',
  'statements',
  'response',
] as const
const names = [...inputs, ...outputs]

/** MariaDB and MySQL have different names for the same collation. */
const onMysql = (statements: string): string =>
  statements.replaceAll('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')

export type InputSection = (typeof inputs)[number]
export type OutputSection = (typeof outputs)[number]
export type SectionName = InputSection | OutputSection

export interface GoldenFile {
  readonly path: string
  /** The path below test/golden without the extension: `parse/lists`. */
  readonly name: string
  /** The sentence before the first section, which says what the case shows. */
  readonly intro: string
  readonly sections: Readonly<Partial<Record<SectionName, string>>>
}

/** The content of a section: a text as it is, any other value as `printValue` prints it. */
export type ActualSections = Readonly<Partial<Record<OutputSection, unknown>>>

export const goldenFolder = fileURLToPath(new URL('../golden/', import.meta.url))

/** The golden files whose path contains the given name parts. */
export function goldenFiles(folder: string = goldenFolder): GoldenFile[] {
  const filter = (process.env.GOLDEN_FILTER ?? '').split(' ').filter((part) => part !== '')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.http'))
    .filter((file) => filter.length === 0 || filter.some((part) => file.includes(part)))
    .sort()
    .map((file) => parseGolden(readFileSync(join(folder, file), 'utf8'), join(folder, file)))
}

/** The output sections of a file: those that it already has, or all if it has none. */
export function wantedSections(file: GoldenFile): OutputSection[] {
  const present = outputs.filter((name) => file.sections[shownBy(name)] !== undefined)
  return present.length > 0 ? present : [...outputs]
}

/** A file that shows the statements of MariaDB shows those of MySQL too. */
const shownBy = (name: OutputSection): OutputSection => (name === 'mysql' ? 'mariadb' : name)

/** The text of a section in the file. */
function sectionOf({ sections }: GoldenFile, name: OutputSection): string | undefined {
  if (name !== 'mysql' || sections.mysql !== undefined) return sections[name]
  return sections.mariadb === undefined ? undefined : onMysql(sections.mariadb)
}

/**
 * Throws a diff if the file differs from `actual`; with `--update`, writes the file instead. Does not change sections that `actual`
 * lacks, because their databases are missing in this run.
 */
export function compareGolden(file: GoldenFile, actual: ActualSections): void {
  const wanted = wantedSections(file)
  const given = Object.fromEntries(
    wanted
      .filter((name) => actual[name] !== undefined)
      .map((name) => [name, tidy(asText(actual[name]))]),
  )
  if (process.env.UPDATE_GOLDEN === '1') {
    const { mysql, ...sections } = { ...file.sections, ...given }
    const same = sections.mariadb !== undefined && mysql === onMysql(sections.mariadb)
    const kept = mysql === undefined || same ? sections : { ...sections, mysql }
    const text = printGolden({ ...file, sections: kept })
    if (text !== readFileSync(file.path, 'utf8')) writeFileSync(file.path, text)
    return
  }
  const how = 'Look at the difference; if it is meant, write it with: pnpm golden --update'
  if (outputs.every((name) => file.sections[name] === undefined)) {
    throw new Error(`${file.name} has no answers yet. Write them with: pnpm golden --update`)
  }
  const differences = Object.entries(given).flatMap(([name, text]) => {
    const difference = diffLines(sectionOf(file, name as OutputSection) ?? '', text)
    return difference === '' ? [] : [`### ${name}\n${difference}`]
  })
  if (differences.length > 0) {
    const parts = [`${file.name} (- file, + now)`, ...differences, `${how} ${file.name}`]
    throw new Error(parts.join('\n\n'))
  }
}

/** Reads the text of a golden file; a section begins with a line `### <name>`. */
export function parseGolden(text: string, path: string): GoldenFile {
  const sections: Partial<Record<SectionName, string>> = {}
  const [intro = '', ...rest] = text.replaceAll('\r\n', '\n').split(/^### /m)
  for (const part of rest) {
    const end = part.indexOf('\n')
    const name = (end === -1 ? part : part.slice(0, end)).trim()
    if (!isSection(name)) throw new Error(`${path}: "### ${name}" is not one of ${names.join(' ')}`)
    if (sections[name] !== undefined) throw new Error(`${path}: section ${name} stands there twice`)
    sections[name] = end === -1 ? '' : tidy(part.slice(end + 1))
  }
  if (sections.request === undefined) throw new Error(`${path}: section request is missing`)
  const topic = basename(dirname(path))
  const name = `${topic}/${basename(path, '.http')}`
  return { path, name, intro: tidy(intro), sections }
}

/** The inverse of `parseGolden`; the sections are always in the same order. */
export function printGolden(file: GoldenFile): string {
  const parts = file.intro === '' ? [] : [file.intro]
  for (const name of names) {
    const text = file.sections[name]
    if (text === undefined) continue
    if (/^### /m.test(text)) throw new Error(`${file.path}: a line of ${name} begins with "### "`)
    parts.push(`### ${name}\n${text}`)
  }
  return `${parts.join('\n\n')}\n`
}

function isSection(name: string): name is SectionName {
  return (names as readonly string[]).includes(name)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : printValue(value)
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}
