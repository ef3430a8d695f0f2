/** Prints the last lines of a test run: the files that leave servers out, the counts by server, and what did not run and why. */
import type { Count, Report } from '../worker.ts'
import type { Servers } from './servers.ts'

export function sum(reports: readonly Report[]): Count {
  return add(reports.flatMap((report) => Object.values(report.counts)))
}

export interface FileReport {
  readonly file: string
  readonly report: Report
  /** What its first try gave, where only the second one passed. */
  readonly failedOnce?: string
}

export interface Run {
  readonly files: readonly FileReport[]
  /** Undefined if no file needs a server. */
  readonly servers: Servers | undefined
  /** The files that only a whole run has, with their ways. */
  readonly leftOut: readonly string[]
}

export function closingTable({ files, servers, leftOut }: Run): string {
  const reports = files.map(({ report }) => report)
  const at = (where: string): Count => add(reports.flatMap((report) => report.counts[where] ?? []))
  const nodes = new Set(reports.flatMap(({ node }) => node ?? []))
  const rows: [string, string][] = [
    ['Node', [...nodes].join(', ')],
    row('no database', at('none'), ''),
  ]
  const lacks: [string, string][] = []
  if (servers === undefined) {
    rows.push(['databases', 'not needed by these files'])
  } else {
    rows.push(row('SQLite', at('SQLite'), 'in memory'))
    for (const { label, url, note } of servers) {
      if (url === undefined) lacks.push([label, `NOT RUN: ${note}`])
      else rows.push(row(label, at(label), note))
    }
  }
  rows.push(...lacks)
  const reasons = new Map(
    reports.flatMap(({ notRun }) => notRun.map(({ what, why }) => [what, why])),
  )
  for (const [what, why] of reasons) rows.push([what, `NOT RUN: ${why}`])
  for (const { file, failedOnce } of files) {
    if (failedOnce !== undefined) rows.push([nameOf(file), `FAILED ONCE: ${failedOnce}`])
  }
  const width = Math.max(...rows.map(([where]) => where.length))
  const table = rows.map(([where, text]) => `  ${where.padEnd(width)}  ${text}`)
  return `\n${[...coverageLines(files), ...leftOutLines(files, leftOut), ...table].join('\n')}\n`
}

/** The files that leave servers out, by the servers that they run on; those of the longest list are said to be the others. */
function coverageLines(files: readonly FileReport[]): readonly string[] {
  const places = new Map<string, readonly string[]>()
  for (const { file, report } of files) {
    if (report.coverage === undefined) continue
    places.set(report.coverage, [...(places.get(report.coverage) ?? []), file])
  }
  const alike = (file: string): boolean => coverageOfFolder(files, file)
  const longest = Math.max(...[...places.values()].map(({ length }) => length))
  return [...places].flatMap(([where, those]) =>
    those.length === longest && longest > 100
      ? [`  On ${where}: ${those.length} others`]
      : wrapped(`On ${where}: ${foldersOr(those, alike)}`),
  )
}

/** The files of other runs; a folder for its files if this run has none of them. */
function leftOutLines(files: readonly FileReport[], leftOut: readonly string[]): readonly string[] {
  if (leftOut.length === 0) return []
  const run = new Set(files.map(({ file }) => folderOf(file)))
  const several = (folder: string): boolean =>
    leftOut.filter((file) => folderOf(file) === folder).length > 1
  const alike = (file: string): boolean => !run.has(folderOf(file)) && several(folderOf(file))
  return wrapped(`Only in a whole run: ${foldersOr(leftOut, alike)}`)
}

/** Names in order; a folder in place of each of its files for which `alike` says so. */
function foldersOr(files: readonly string[], alike: (file: string) => boolean): string {
  const names = files.map((file) => (alike(file) ? folderOf(file) : nameOf(file)))
  return [...new Set(names)].sort().join(', ')
}

const nameOf = (file: string): string => file.replace('.test.ts', '')

/** The folder of a file, with the way in which its requests are sent. */
const folderOf = (file: string): string => file.replace(/[^/ ]+\.test\.ts/, '').replace(/\/ /, '/ ')

/** Whether a folder has several files and all of them leave out the same servers. */
function coverageOfFolder(files: readonly FileReport[], file: string): boolean {
  const folder = files.filter((other) => folderOf(other.file) === folderOf(file))
  return folder.length > 1 && new Set(folder.map(({ report }) => report.coverage)).size === 1
}

const lineLength = 116

function wrapped(text: string): readonly string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length >= lineLength) lines.push(`    ${word}`)
    else lines[lines.length - 1] = line === '' ? `  ${word}` : `${line} ${word}`
  }
  return lines
}

function row(where: string, { passed, failed }: Count, note: string): [string, string] {
  const result = failed > 0 ? `${passed} passed, ${failed} FAILED` : `${passed} passed`
  return [where, note === '' ? result : `${result}  (${note})`]
}

function add(counts: readonly Count[]): Count {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const count of counts) {
    total.passed += count.passed
    total.failed += count.failed
    total.skipped += count.skipped
  }
  return total
}
