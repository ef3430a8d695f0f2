/** The deliberate breaks still apply to the code; `pnpm breaks` runs them. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { breaks } from '../breaks/all.ts'
import { type Break, broken } from '../breaks/break.ts'
import { equal, fail, match, ok, throws } from '../support/assert.ts'
import { readSource, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const advice = `A break in test/breaks no longer fits the code. Where the line was only rewritten, rewrite the break's "find" and
"replace" so that the same thing goes wrong; where what it breaks is gone, replace it by a break of what came instead. Then
run "pnpm breaks <part of its title>": the test it names must fail.`

function problemOf(one: Break): string | undefined {
  if (one.find === one.replace) return `${one.file}: "find" and "replace" are the same`
  if (!existsSync(join(repository, one.file))) return `${one.file} is not there`
  if (!/^test\/.+\.test\.ts$/.test(one.fails)) return `${one.fails} is not the path of a test file`
  if (!existsSync(join(repository, one.fails))) return `${one.fails} is not there`
  try {
    broken(one, readSource(one.file))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const repeated = (texts: readonly string[]): string[] =>
  texts.filter((text, at) => texts.indexOf(text) !== at)

suite('the deliberate breaks', (test) => {
  test('fit the code', () => {
    const problems = breaks.flatMap((one) => problemOf(one) ?? [])
    if (problems.length > 0) fail(`${advice}\n\n${problems.join('\n')}`)
  })

  test('are many, and all different', () => {
    ok(breaks.length >= 80, `there are ${breaks.length} of at least 80`)
    equal(repeated(breaks.map(({ title }) => title)), [])
    equal(repeated(breaks.map(({ file, find, replace }) => `${file} ${find} ${replace}`)), [])
  })

  test('exist for every folder of the core, and for every other package', () => {
    const core = 'packages/core/src'
    const rooms = readdirSync(join(repository, core), { withFileTypes: true })
      // call/ holds types only.
      .filter((entry) => entry.isDirectory() && entry.name !== 'call')
      .map(({ name }) => `${core}/${name}/`)
    const packages = readdirSync(join(repository, 'packages')).map(
      (name) => `packages/${name}/src/`,
    )
    const without = [...rooms, ...packages].filter(
      (room) => !breaks.some(({ file }) => file.startsWith(room)),
    )
    equal(without, [])
  })
})

suite('breaks that do not fit the code', (test) => {
  const one: Break = {
    title: 'a test',
    file: 'test/architecture/breaks.test.ts',
    find: 'one: Break',
    replace: 'two: Break',
    fails: 'test/architecture/breaks.test.ts',
  }

  test('a text that does not occur exactly once', () => {
    const source = 'first\nsecond\nfirst\n'
    match(throws(() => broken({ ...one, find: 'first' }, source)).message, '2 times')
    match(throws(() => broken({ ...one, find: 'third' }, source)).message, '0 times')
    equal(broken({ ...one, find: 'second', replace: '' }, source), 'first\n\nfirst\n')
    equal(
      broken({ ...one, find: 'second\nfirst', replace: 'x\nfirst' }, source),
      'first\nx\nfirst\n',
    )
  })

  test('a change of several lines, or of none', () => {
    const source = 'first\nsecond\nfirst\n'
    match(
      throws(() => broken({ ...one, find: 'first\nsecond', replace: 'x' }, source)).message,
      'line',
    )
    match(
      throws(() => broken({ ...one, find: 'first\nsecond', replace: 'a\nb' }, source)).message,
      '2',
    )
  })

  test('a file that does not exist', () => {
    equal(problemOf({ ...one, file: 'test/nothing.ts' }), 'test/nothing.ts is not there')
    equal(problemOf({ ...one, fails: 'test/no.test.ts' }), 'test/no.test.ts is not there')
    match(problemOf({ ...one, replace: one.find }) ?? '', 'the same')
  })
})
