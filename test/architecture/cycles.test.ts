/** The imports between files of the core have no cycles, except among types that define each other. */
import { posix } from 'node:path'
import { equal } from '../support/assert.ts'
import { cyclesIn } from '../support/cycles.ts'
import { filesBelow, importsOf, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** The cycles of types, each with its reason. */
const known: Readonly<Record<string, readonly string[]>> = {
  'a model has settings and hooks in its meta, and settings and hooks take models': [
    'config/access-types.ts',
    'config/auth-settings.ts',
    'config/config.ts',
    'config/hook-types.ts',
    'config/meta.ts',
    'config/policy-of-model.ts',
    'config/rate-settings.ts',
    'config/requirements.ts',
    'config/resolve-hooks.ts',
    'config/scope-types.ts',
    'config/settings.ts',
    'model/column.ts',
    'model/define-model.ts',
    'model/infer.ts',
  ],
}

/** The imports of each file. */
const importsBelow = (folder: string, types: boolean): ReadonlyMap<string, readonly string[]> =>
  new Map(
    filesBelow(folder).map((file) => [
      file.slice(folder.length),
      importsOf(readSource(file))
        .filter(({ from, typeOnly }) => from.startsWith('.') && (types || !typeOnly))
        .map(({ from }) => posix.join(posix.dirname(file), from).slice(folder.length)),
    ]),
  )

suite('cycles of imports', (test) => {
  test('there is none of values', () => {
    equal(cyclesIn(importsBelow(root, false)), [])
  })

  test('those of types are listed in this file', () => {
    equal(cyclesIn(importsBelow(root, true)), Object.values(known))
  })

  test('are found at any length', () => {
    const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['g'], g: ['f', 'a'] }
    equal(cyclesIn(new Map(Object.entries(edges))), [
      ['a', 'b', 'c'],
      ['f', 'g'],
    ])
  })
})
