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
    'model/aggregates/declared-aggregate.ts',
    'model/column.ts',
    'model/define-model.ts',
    'model/infer.ts',
    'model/settings/access/access-keys.ts',
    'model/settings/access/access-types.ts',
    'model/settings/access/added-record.ts',
    'model/settings/access/callbacks-of-model.ts',
    'model/settings/access/check-policy.ts',
    'model/settings/access/hook-types.ts',
    'model/settings/access/policy-of-model.ts',
    'model/settings/access/requirements.ts',
    'model/settings/access/resolve-hooks.ts',
    'model/settings/access/scope-types.ts',
    'model/settings/access/sql-value-types.ts',
    'model/settings/auth/auth-settings.ts',
    'model/settings/auth/jwt-issuers.ts',
    'model/settings/auth/rate-settings.ts',
    'model/settings/config.ts',
    'model/settings/endpoints/bulk-methods.ts',
    'model/settings/field-names.ts',
    'model/settings/meta.ts',
    'model/settings/setting-table.ts',
    'model/settings/settings.ts',
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
