/** Names of prepared statements: stable for a repeated text, and limited in number. */
import { createHash } from 'node:crypto'
import { statementNames } from '../../../packages/core/src/drivers/postgres/statement-names.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('names of statements', (test) => {
  test('a statement has a name from its second use on', () => {
    const nameOf = statementNames(10)
    equal(nameOf('select 1'), undefined)
    ok(nameOf('select 1') !== undefined)
    equal(nameOf('select 1'), nameOf('select 1'))
  })

  test('the name depends on the text alone, and is shorter than the limit of the server', () => {
    const name = (text: string): string => {
      const nameOf = statementNames(10)
      nameOf(text)
      return nameOf(text)?.name ?? ''
    }
    equal(name('select 1'), name('select 1'))
    // With a hash that can be forged, a client could make the text whose name stands for the statement of another request.
    const digest = createHash('sha256').update('select 1').digest('base64url')
    equal(name('select 1'), `model_api_${digest.slice(0, 32)}`)
    const long = name(`select ${'x'.repeat(10_000)}`)
    ok(long.length < 64, long)
    const names = new Set(Array.from({ length: 5_000 }, (_, i) => name(`select "c_${i}" = $${i}`)))
    equal(names.size, 5_000)
  })

  test('statements other than queries have no name', () => {
    const nameOf = statementNames(10)
    for (const text of ['begin', 'commit', 'set x = 1', 'create table t (a int)', 'savepoint a']) {
      equal([nameOf(text), nameOf(text), nameOf(text)], [undefined, undefined, undefined])
    }
  })

  test('a name in use is kept, however many others are added', () => {
    const nameOf = statementNames(3)
    nameOf('select 1')
    const name = nameOf('select 1')
    for (let i = 0; i < 50; i++) {
      for (let times = 0; times < 2; times++) nameOf(`select 'other ${i}'`)
      equal(nameOf('select 1'), name)
    }
  })

  test('the least recently used name is dropped', () => {
    const nameOf = statementNames(2)
    for (const text of ['select 1', 'select 1', 'select 2', 'select 2']) nameOf(text)
    for (let i = 0; i < 20; i++) for (let times = 0; times < 2; times++) nameOf(`select 'o${i}'`)
    equal(nameOf('select 1'), undefined)
  })
})
