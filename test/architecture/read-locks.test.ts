/** Lists the files that compile a SELECT without `readLock`: a write in a transaction of the host would read its snapshot there. */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** Why a write does not read by these SELECTs, or why they read no table. */
const without: Readonly<Record<string, string>> = {
  'query/compile/json/embedded-json.ts': 'JSON of the database, only where plain reads are newest',
  'query/compile/json/list-json.ts': 'JSON of the database, only where plain reads are newest',
  'query/compile/rows/combinations.ts': 'the cost of a list that is read',
  'query/compile/rows/distinct-query.ts': 'reads the query of a hook, which `withReadLock` locks',
  'query/compile/rows/row-count.ts': 'the total of a list that is read',
  'write/statements/default-values.ts': 'values of defaults, of no table',
}

suite('reads of the newest rows', (test) => {
  test('every file that compiles a SELECT ends it with readLock or lockClause', () => {
    const found = filesBelow(root)
      .map((file) => ({ file: file.slice(root.length), ...scan(readSource(file)) }))
      .filter(({ file }) => /^(query\/compile|write\/statements)\//.test(file))
      .filter(({ strings }) => /\bselect\s/.test(strings))
      .filter(({ code }) => !/\b(readLock|lockClause)\(/.test(code))
      .map(({ file }) => file)
    equal(found, Object.keys(without))
  })
})
