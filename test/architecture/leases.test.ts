/**
 * The service sends its statements by a lease, which bounds them. The statements of hooks and of Kysely get the bounds of the lease by
 * methods of Kysely's objects that one file replaces.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** An assignment to a method of Kysely's connections and executors. */
const replaced = /\.(?:executeQuery|streamQuery|provideConnection)\s*=(?![=>])/

/** The calls that send a statement without a lease. */
const sent =
  /\.(?:executeQuery|provideConnection)\s*[<(]|\bexecuteFragment\s*\(|\browsOf\s*(?:<[^`]*>)?\(\w+\)`/

/** The places that send statements without a lease, each with the reason. */
const senders: Readonly<Record<string, string>> = {
  'database/leases/': 'the lease itself',
  'dialect/':
    'look-ups of versions and columns, on the connection that `onBoundedConnection` gives',
  'catalogue/':
    'the schemas of existing databases, on the connection that `onBoundedConnection` gives',
  'access/hooks/lock-of-call.ts':
    'locks of hooks, on their connection, whose statements have the bounds of its lease',
  'lib/sql/statement.ts': 'declares `executeFragment` and `rowsOf`',
}

const filesWith = (pattern: RegExp): readonly string[] =>
  filesBelow(root)
    .filter((file) => pattern.test(scan(readSource(file)).code))
    .map((file) => file.slice(root.length))

suite('leases', (test) => {
  test('one file replaces methods of Kysely’s objects', () => {
    equal(filesWith(replaced), ['database/statements/kysely-methods.ts'])
  })

  test('send all statements but those of the listed places', () => {
    const others = filesWith(sent)
    const places = Object.keys(senders)
    equal(
      others.filter((file) => !places.some((place) => file.startsWith(place))),
      [],
    )
    for (const place of places)
      equal(
        others.some((file) => file.startsWith(place)),
        true,
        place,
      )
  })

  test('the rules find replacements and calls', () => {
    for (const code of [
      'one.executeQuery = send',
      'db.getExecutor().provideConnection = (use) => use(one)',
    ]) {
      equal(replaced.test(code), true, code)
    }
    for (const code of ['if (one.executeQuery === send) return', 'const send = one.executeQuery']) {
      equal(replaced.test(code), false, code)
    }
    for (const code of [
      'await db.executeQuery(compiled)',
      'connection.executeQuery<R>(compiled)',
      'executeFragment(db, statement)',
      'await rowsOf<{ version: unknown }>(db)`select version() as version`',
      'rowsOf(db)`pragma busy_timeout = 0`',
    ]) {
      equal(sent.test(code), true, code)
    }
    for (const code of ['lease.rows(statement)', 'rowsOf(target, source)', 'rowsOf(value)']) {
      equal(sent.test(code), false, code)
    }
  })
})
