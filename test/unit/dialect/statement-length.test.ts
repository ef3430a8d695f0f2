/** The length of a statement with its values, compared with the text that mysql2 sends. */
import { format } from 'mysql2'
import { isTooLong } from '../../../packages/core/src/dialect/mysql/session/mysql-statement-length.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const letters = ['x', "'", '\\', '\n', '\0', '\u001a', 'é', '€', '🎈'] as const

const statements: Readonly<Record<string, readonly unknown[]>> = {
  'no values': [],
  'each letter': letters.map((letter) => letter.repeat(1000)),
  'all letters': [letters.join('').repeat(300)],
  bytes: [Buffer.alloc(1000, 7)],
  'other values': [null, true, -1.5e-300, -9223372036854775808n, 'x'.repeat(1000)],
}

suite('a statement is too long', (test) => {
  for (const [title, parameters] of Object.entries(statements)) {
    test(`from its length with the byte of the command: ${title}`, () => {
      const sql = `select ${parameters.map(() => '?').join(', ')} /* ${'€'.repeat(100)} */`
      const bytes = Buffer.byteLength(format(sql, [...parameters] as never))
      equal(isTooLong({ sql, parameters }, bytes + 1), true)
      // Numbers and NULL are counted as if they had the most digits, and each placeholder as a byte.
      equal(isTooLong({ sql, parameters }, bytes + 2 + 33 * parameters.length), false)
    })
  }
})
