/** The closing table of a test run: what ran where, and what did not run and why. */
import type { Count, Report } from '../worker.ts'
import type { NotRun } from './registry.ts'
import type { Servers } from './servers.ts'

export function sum(reports: readonly Report[]): Count {
  return add(reports.flatMap((report) => Object.values(report.counts)))
}

export function closingTable(
  reports: readonly Report[],
  servers: Servers | undefined,
  notRun: readonly NotRun[],
): string {
  const at = (where: keyof Report['counts']): Count =>
    add(reports.flatMap((report) => report.counts[where] ?? []))
  const rows = [row('no database', at('none'), '')]
  if (servers === undefined) {
    rows.push(['databases', 'not needed by these files'])
  } else {
    rows.push(row('sqlite', at('sqlite'), 'in memory'))
    for (const name of ['postgres', 'mysql'] as const) {
      const { url, note } = servers[name]
      rows.push(url === undefined ? [name, `NOT RUN: ${note}`] : row(name, at(name), note))
    }
  }
  const reasons = new Map(notRun.map(({ what, why }) => [what, why]))
  for (const [what, why] of reasons) rows.push([what, `NOT RUN: ${why}`])
  const width = Math.max(...rows.map(([where]) => where.length))
  return `\n${rows.map(([where, text]) => `  ${where.padEnd(width)}  ${text}`).join('\n')}\n`
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
