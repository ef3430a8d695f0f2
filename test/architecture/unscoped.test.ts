/**
 * Lists every place in the core that reads rows without the access policies, or reads a table by its name. Adding a place here
 * is a deliberate decision.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** A function that reads without a scope: its callers, the number of calls in each, and the reason. */
interface Unscoped {
  readonly name: string
  readonly callers: Readonly<Record<string, readonly [calls: number, why: string]>>
}

const ownTable = 'a table of the service itself, whose rows no client can read'

const referred =
  'records of a resource that no policy narrows, and whether records that were read through their scope are deleted'

const known: readonly Unscoped[] = [
  {
    name: 'unscoped',
    callers: {
      'access/policies/scope.ts': [
        1,
        'the tables that the conditions of a policy name; none of their rows is returned',
      ],
      'auth/users/look-up-user.ts': [
        3,
        'the user of the request, before policies can be called, and whether users are active',
      ],
      'auth/users/users.ts': [1, 'the roles of the user, before policies can be called'],
      'auth/passwords/stored-passwords.ts': [
        1,
        'the costs of stored password hashes, which no caller sees',
      ],
      'write/resolve/look-up-records.ts': [1, 'readUnscoped, below'],
      'write/check/overlaps.ts': [
        1,
        'whether a written record overlaps another one, or refers to no record: the error names the written one alone',
      ],
    },
  },
  {
    name: 'readUnscoped',
    callers: {
      'write/resolve/stored-changes.ts': [1, 'records just written, for a callback of the host'],
      'write/check/segment-references.ts': [
        1,
        'whether the rows that foreign keys refer to exist, for callers who may not read them',
      ],
      'write/links/nested-records.ts': [
        1,
        'keys that the database generated for the record just written',
      ],
      'write/resolve/look-up-records.ts': [1, 'the dependents of removal/, after they were locked'],
      'write/removal/find-dependents.ts': [
        1,
        'dependents of records to delete: a hidden one prevents the deletion',
      ],
      'write/removal/find-referrers.ts': [
        1,
        'records of the same request that refer to others: a hidden one prevents the deletion',
      ],
      'write/removal/referred-to.ts': [
        1,
        'whether any row but those that are deleted refers to the record to delete',
      ],
      'write/store/rows/remove-rows.ts': [
        1,
        'the key of a record that stays, for a reference of a row that is deleted next',
      ],
    },
  },
  {
    name: 'existsOneUnscoped',
    callers: {
      'write/removal/find-referrers.ts': [1, 'whether any row refers to the records to delete'],
    },
  },
  {
    name: 'compileProbeByKeys',
    callers: { 'write/resolve/look-up-records.ts': [1, 'existsOneUnscoped, above'] },
  },
  {
    name: 'existsUnscoped',
    callers: {
      'write/refusals/explain-refusal.ts': [
        4,
        'which key or link the database refused, even if its record is hidden',
      ],
      'write/store/save.ts': [
        1,
        'whether a new record exists whose INSERT counted no row, because a trigger has stored it elsewhere',
      ],
      'write/check/write-checks.ts': [
        1,
        'a foreign key into a resource that is closed to the caller: only whether the row exists',
      ],
      'write/removal/referred-to.ts': [1, 'whether any row refers to the record to delete'],
    },
  },
  {
    name: 'compileProbe',
    callers: { 'write/resolve/look-up-records.ts': [1, 'existsUnscoped, above'] },
  },
  {
    name: 'compileLock',
    callers: {
      'write/resolve/look-up-records.ts': [1, 'locks a row before it is read through its scope'],
    },
  },
  {
    name: 'compileLocked',
    callers: {
      'write/resolve/look-up-records.ts': [
        4,
        'records of a resource that no policy narrows, and the dependents that readUnscoped has found',
      ],
      'write/check/referred-records.ts': [1, referred],
    },
  },
  {
    name: 'compileLockedByKeys',
    callers: {
      'write/resolve/look-up-records.ts': [
        3,
        'records of a resource that no policy narrows, and locks before a read',
      ],
      'write/check/referred-records.ts': [1, referred],
    },
  },
  {
    name: 'compileLockedRecord',
    callers: {
      'write/statements/stored-single-writes.ts': [
        1,
        'the echo of a write of a resource without a policy',
      ],
    },
  },
  {
    name: 'compileLinks',
    callers: {
      'write/links/read-links.ts': [1, 'links of a junction without a published model'],
    },
  },
  {
    name: 'readLinks',
    callers: {
      'write/links/link-table.ts': [1, 'links that a list may replace'],
      'write/removal/removed-links.ts': [
        1,
        'links that are removed with their record, for the callbacks of the host',
      ],
    },
  },
  {
    name: 'compileLockByKeys',
    callers: {
      'write/resolve/look-up-records.ts': [
        1,
        'locks records before they are read through their scope',
      ],
      'write/links/link-records.ts': [1, 'locks links before they are read through their scope'],
    },
  },
  {
    name: 'compileReference',
    callers: {
      'write/statements/statements.ts': [
        1,
        'a condition of an INSERT, with the scope of the policy',
      ],
    },
  },
  {
    name: 'tableOf',
    callers: {
      'write/statements/statements-by-keys.ts': [
        7,
        'writes of links, the reads above and below, and the keys of the records that stored links name',
      ],
      'query/compile/source.ts': [
        3,
        'the table inside a scope; junctions without a published model',
      ],
      'dialect/postgres/types/moment-lists.ts': [
        1,
        'stored values that an index finds; they only narrow the rows of a scope',
      ],
      'dialect/shared/sql/search-indexes.ts': [
        1,
        'keys that an index finds; they only narrow the rows of a scope',
      ],
      'dialect/sqlite/sqlite-search-index.ts': [1, 'the same, by an FTS5 table'],
      'dialect/sqlite/stored/stored-ranges.ts': [
        1,
        'stored values that an index finds; they only narrow the rows of a scope',
      ],
      'dialect/sqlite/stored/sqlite-views.ts': [
        1,
        'the key of the row that the caller has inserted',
      ],
      'catalogue/introspect/checked-columns.ts': [
        1,
        'before there is an API: spellings of the members of a CHECK',
      ],
      'catalogue/introspect/row-counts.ts': [
        1,
        'introspection: counts rows, up to 10,000, for serve',
      ],
      'catalogue/introspect/views.ts': [1, 'no row of a view: whether it can be read'],
      'write/statements/statements.ts': [8, 'writes, and the reads above and below'],
      'write/statements/locks-in-order.ts': [
        2,
        'locks of records to which written records refer, or that a hook names: no value is read',
      ],
      'write/statements/compile-update-rows.ts': [
        2,
        'changes of records that were read through their scope',
      ],
    },
  },
  {
    name: 'selectFrom',
    callers: { 'access/policies/scope-query.ts': [1, 'the query that a policy narrows'] },
  },
]

/** Files that contain the text of a SELECT. */
const readingFiles: Readonly<Record<string, string>> = {
  'database/own-tables/api-keys.ts': ownTable,
  'database/own-tables/create-table.ts': ownTable,
  'database/own-tables/idempotency-keys.ts': ownTable,
  'database/own-tables/refresh-tokens.ts': ownTable,
}

/** Folders that compile the other reads, query catalogues of databases, or contain prose. */
const apart = /^(query\/compile|dialect|drivers|catalogue|openapi|write\/statements)\//

/** The number of calls of a function in a file, without its definition. */
function callsOf(name: string, code: string): number {
  const calls = code.match(new RegExp(`(?<!function )\\b${name}\\b(<[^()]*>)?\\(`, 'g')) ?? []
  return calls.length
}

suite('reads without a scope', (test) => {
  const files = filesBelow(root).map((file) => ({
    file: file.slice(root.length),
    code: scan(readSource(file)).code,
    strings: scan(readSource(file)).strings,
  }))

  for (const { name, callers } of known) {
    test(`${name} is called where this file says, and nowhere else`, () => {
      const found = files
        .map(({ file, code }) => [file, callsOf(name, code)] as const)
        .filter(([, calls]) => calls > 0)
      const expected = Object.entries(callers).map(([file, [calls]]) => [file, calls])
      equal(found, expected.sort())
    })
  }

  test('SQL that reads a table is written in few files', () => {
    const found = files
      .filter(({ file, strings }) => !apart.test(file) && /\bfrom\s/.test(strings))
      .filter(({ strings }) => /\bselect\b|\bexists\b/.test(strings))
      .map(({ file }) => file)
    equal(found, Object.keys(readingFiles))
  })
})

suite('the rules about reads without a scope', (test) => {
  test('find calls, and ignore definitions', () => {
    equal(callsOf('unscoped', 'readStatements(unscoped(target), plan)'), 1)
    equal(callsOf('unscoped', 'export const unscoped = (target: Target): Target => x'), 0)
    equal(callsOf('tableOf', 'export function tableOf(target: Target) { return 1 }'), 0)
    equal(callsOf('selectFrom', 'db.selectFrom(table)'), 1)
  })
})
