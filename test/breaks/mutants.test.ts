/** The mutants of a source, and the places that a run has reached. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { chosenBySeed, mutantsOf, mutated } from './mutants.ts'
import { reachedPlaces } from './reached.ts'

/** All sources that one change of `source` gives. */
const changed = (source: string): readonly string[] =>
  mutantsOf('a.ts', source).map((mutant) => mutated(source, mutant))

suite('mutants', (test) => {
  test('change conditions and operators', () => {
    equal(changed('if (a === b) c'), ['if (false) c', 'if (true) c', 'if (a !== b) c'])
    equal(changed('while (a) b'), ['while (false) b'])
    equal(changed('x = a < b && !c'), ['x = a <= b && !c', 'x = a < b || !c', 'x = a < b && c'])
    equal(changed('x = (a) >= b'), ['x = (a) > b'])
    equal(changed('x = a ?? b'), ['x = a'])
  })

  test('change values, calls and methods', () => {
    equal(changed('x = [true, 3]'), ['x = [false, 3]', 'x = [true, 4]'])
    equal(changed('await f(a)'), ['void 0'])
    equal(changed('x = a.some(f)'), ['x = a.every(f)'])
    equal(changed('x = a.filter(f).length'), ['x = a.length'])
  })

  test('stand where the source has types', () => {
    equal(changed('const f = <T extends A<B>>(a: T): a is C => (a as D) < b'), [
      'const f = <T extends A<B>>(a: T): a is C => (a as D) <= b',
    ])
    equal(changed('type A = 1 | true\nx = a! && b'), ['type A = 1 | true\nx = a! || b'])
  })

  test('know their line', () => {
    equal(
      mutantsOf('a.ts', '\nx = true\nx = 2').map(({ file, line, change }) => [file, line, change]),
      [
        ['a.ts', 2, 'true → false'],
        ['a.ts', 3, '2 → 3'],
      ],
    )
  })

  test('are chosen by the seed, each once', () => {
    const items = Array.from({ length: 50 }, (_, index) => index)
    equal(chosenBySeed(items, 10, 7), chosenBySeed(items, 10, 7))
    ok(chosenBySeed(items, 10, 7).join() !== chosenBySeed(items, 10, 8).join())
    equal(new Set(chosenBySeed(items, 99, 1)).size, 50)
  })
})

suite('places that a run has reached', (test) => {
  test('are those whose smallest block was executed', () => {
    const folder = join(tmpdir(), `model-api-reached-${process.pid}`)
    mkdirSync(folder, { recursive: true })
    try {
      const ranges = [
        { startOffset: 0, endOffset: 100, count: 1 },
        { startOffset: 10, endOffset: 50, count: 3 },
        { startOffset: 20, endOffset: 30, count: 0 },
      ]
      const url = `${pathToFileURL(join(folder, 'a.ts')).href}?again`
      const result = [{ url, functions: [{ ranges }] }]
      writeFileSync(join(folder, 'coverage.json'), JSON.stringify({ result }))
      const places = [5, 15, 25, 35, 150].map((start) => ({ file: 'a.ts', start }))
      const elsewhere = { file: 'b.ts', start: 5 }
      const reached = reachedPlaces(folder, folder, [...places, elsewhere])
      equal(
        [...reached].map(({ start }) => start),
        [5, 15, 35],
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
