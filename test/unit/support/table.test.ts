/** The last lines of a run: each server separately, what leaves servers out, and finally what did not run. */
import { equal, match } from '../../support/assert.ts'
import type { Server } from '../../support/servers.ts'
import { suite } from '../../support/suite.ts'
import { closingTable } from '../../support/table.ts'
import type { Report } from '../../worker.ts'

const count = (passed: number, failed = 0) => ({ passed, failed, skipped: 0 })
const report = (parts: Partial<Report>): Report => ({
  counts: {},
  coverage: undefined,
  node: 'v22.18.0',
  notRun: [],
  loaded: true,
  leftover: undefined,
  spares: {},
  cpu: { own: 0, children: 0 },
  ...parts,
})
const postgres = (version: string, url: string | undefined): Server => ({
  kind: 'postgres',
  engine: 'postgres',
  version,
  label: `PostgreSQL ${version}`,
  url,
  note: url === undefined ? 'it cannot be reached' : 'local service',
})

suite('the closing lines', (test) => {
  test('name each server with its counts, and what did not run at the end', () => {
    const files = [
      {
        file: 'growth/requests.test.ts',
        report: report({
          coverage: 'one server of each kind',
          counts: { none: count(1), 'PostgreSQL 15.14': count(3) },
        }),
      },
      {
        file: 'contract/joins.test.ts',
        report: report({
          counts: {
            SQLite: count(2),
            'PostgreSQL 15.14': count(1, 1),
            'PostgreSQL 18.1': count(2),
          },
          notRun: [{ what: 'Chinook', why: 'it is not here' }],
        }),
      },
    ]
    const servers = [
      postgres('17.0', undefined),
      postgres('15.14', 'there'),
      postgres('18.1', 'there'),
    ]
    equal(
      closingTable({ files, servers, leftOut: [] }),
      `
  On one server of each kind: growth/requests
  Node              v22.18.0
  no database       1 passed
  SQLite            2 passed  (in memory)
  PostgreSQL 15.14  4 passed, 1 FAILED  (local service)
  PostgreSQL 18.1   2 passed  (local service)
  PostgreSQL 17.0   NOT RUN: it cannot be reached
  Chinook           NOT RUN: it is not here
`,
    )
  })

  test('name a folder whose files all omit the same servers, and what only a whole run includes', () => {
    const at = (file: string, coverage: Report['coverage']) => ({
      file,
      report: report({ coverage }),
    })
    const files = [
      at('auth/login.test.ts', 'one server of each engine'),
      at('auth/refresh.test.ts', 'one server of each engine'),
      at('golden/golden.test.ts (query)', 'SQLite alone'),
      at('security/leaks.test.ts', 'one server of each engine'),
      at('security/scope.test.ts', undefined),
    ]
    match(
      closingTable({ files, servers: [], leftOut: ['security/leaks.test.ts (plain)'] }),
      /of each engine: auth\/, security\/leaks\n {2}On SQLite alone: golden\/golden \(query\)\n {2}Only in a whole run: security\/leaks \(plain\)\n/,
    )
  })

  test('say that no database was needed', () => {
    equal(
      closingTable({
        files: [{ file: 'unit/a.test.ts', report: report({ counts: { none: count(1) } }) }],
        servers: undefined,
        leftOut: [],
      }),
      '\n  Node         v22.18.0\n  no database  1 passed\n  databases    not needed by these files\n',
    )
  })
})
