/** Prints the last lines of a test run: the files that leave servers out, the counts by server, and what did not run and why. */
import type { Count, Report } from '../worker.ts'
import type { Servers } from './servers.ts'

export function sum(reports: readonly Report[]): Count {
  return add(reports.flatMap((report) => Object.values(report.counts)))
}

export interface FileReport {
  readonly file: string
  readonly report: Report
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
  const width = Math.max(...rows.map(([where]) => where.length))
  const table = rows.map(([where, text]) => `  ${where.padEnd(width)}  ${text}`)
  return `\n${[...coverageLines(files), ...leftOutLines(leftOut), ...table].join('\n')}\n`
}

/** The files that leave servers out, by the servers that they run on. */
function coverageLines(files: readonly FileReport[]): readonly string[] {
  const names = new Map<string, Set<string>>()
  const alike = new Map(files.map(({ file }) => [folderOf(file), coverageOfFolder(files, file)]))
  for (const { file, report } of files) {
    if (report.coverage === undefined) continue
    const others = names.get(report.coverage) ?? new Set()
    const name = alike.get(folderOf(file)) ? folderOf(file) : nameOf(file)
    names.set(report.coverage, others.add(name))
  }
  return [...names].flatMap(([where, those]) =>
    wrapped(`On ${where}: ${[...those].sort().join(', ')}`),
  )
}

const leftOutLines = (leftOut: readonly string[]): readonly string[] =>
  leftOut.length === 0
    ? []
    : wrapped(`Only in a whole run: ${leftOut.map(nameOf).sort().join(', ')}`)

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
