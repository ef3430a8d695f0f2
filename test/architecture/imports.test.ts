/** Imports of the core follow the layers of layers.ts. */
import { posix } from 'node:path'
import { equal } from '../support/assert.ts'
import { filesBelow, importsOf, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { entries, layers, never, packages, sideways } from './layers.ts'

const root = 'packages/core/src/'

/** Describes the wrong imports of a file. */
function problemsOf(file: string, text: string): string[] {
  const from = placeOf(file)
  const own = layerOf(from)
  if (own === -1) return [`${file}: "${from}" has no layer; give it one in layers.ts`]
  return importsOf(text).flatMap(({ from: specifier, typeOnly, kind }) => {
    const say = (why: string): string[] => [`${file}: ${specifier} ${why}`]
    if (kind === 'export' && !entries.includes(from)) {
      return say('is passed on, which only the entry files do')
    }
    if (!specifier.startsWith('.'))
      return packageProblem(specifier, from, typeOnly, kind).flatMap(say)
    const target = posix.join(posix.dirname(file), specifier)
    if (!target.startsWith(root)) return say('lies outside the core')
    if (typeOnly) return []
    const to = placeOf(target)
    const layer = layerOf(to)
    if (to === from) return []
    if (never[from]?.includes(to)) return say(`is imported by ${from}, which never does so`)
    const allowed = layer < own || sideways.some(([a, b]) => a === from && b === to)
    return allowed ? [] : say(`does not lie below ${from}; values are imported downwards only`)
  })
}

function packageProblem(
  specifier: string,
  from: string,
  typeOnly: boolean,
  kind: string,
): string[] {
  const name = specifier.split('/')[0] ?? ''
  const rule = packages[name]
  if (rule === undefined) return ['is not one of the packages of the core']
  if (typeOnly) return []
  if (rule === 'types only') return ['may be imported for its types only']
  if (rule === 'lazily' && kind !== 'dynamic') return ['may be imported by import() only']
  return never[from]?.includes(name) ? [`is imported by ${from}, which never does so`] : []
}

/** The folder below src, a stage of `write` (`write/nodes`), or the name of a file in src itself. */
function placeOf(file: string): string {
  const below = file.slice(root.length)
  const [folder = '', stage, ...rest] = below.split('/')
  if (folder === 'write' && rest.length > 0) return `${folder}/${stage}`
  if (stage !== undefined) return folder
  // A root file may share the name of its folder.
  const name = below.replace(/\.ts$/, '')
  return layerOf(below) === -1 ? name : below
}

function layerOf(place: string): number {
  return layers.findIndex((names) => names.includes(place))
}

suite('imports', (test) => {
  test('of the core point down the layers', () => {
    equal(
      filesBelow(root).flatMap((file) => problemsOf(file, readSource(file))),
      [],
    )
  })

  test('of other packages do not reach into the sources of the core', () => {
    const reaching = filesBelow('packages')
      .filter((file) => !file.startsWith(root))
      .filter((file) =>
        importsOf(readSource(file)).some((found) => /\bcore\/src\b/.test(found.from)),
      )
    equal(reaching, [])
  })
})

suite('the rules about imports', (test) => {
  const problem = (file: string, text: string): string =>
    problemsOf(`${root}${file}`, text).join('\n').replace(`${root}${file}: `, '')

  test('let a stage import what lies below it, and itself', () => {
    equal(problem('query/plan/conditions/where.ts', `import { value } from './value.ts'`), '')
    equal(
      problem('query/plan/conditions/where.ts', `import { unknownField } from '../errors.ts'`),
      '',
    )
    equal(
      problem(
        'query/plan/conditions/where.ts',
        `import { operators } from '../parse/operators.ts'`,
      ),
      '',
    )
    equal(problem('auth/users/users.ts', `import { roles } from '../access/roles.ts'`), '')
    equal(problem('index.ts', `export { createApi } from './api.ts'`), '')
    equal(problem('introspect.ts', `export { introspect } from './introspect/introspect.ts'`), '')
    equal(problem('auth/users/users.ts', `const { compare } = await import('bcryptjs')`), '')
  })

  test('let types come from anywhere', () => {
    equal(
      problem(
        'model/settings/config.ts',
        `import type { AccessPolicy } from '../access/policy.ts'`,
      ),
      '',
    )
    equal(problem('query/plan/plan.ts', `import type { SelectQueryBuilder } from 'kysely'`), '')
    equal(
      problem('openapi/document.ts', `import type { OpenAPIObject } from 'openapi3-ts/oas31'`),
      '',
    )
  })

  test('refuse a value from above or beside', () => {
    const upwards = problem('query/parse/ast.ts', `import { planList } from '../plan/read-plan.ts'`)
    equal(
      upwards,
      '../plan/read-plan.ts does not lie below parse; values are imported downwards only',
    )
    for (const [file, from] of [
      ['access/policies/scope.ts', '../auth/users.ts'],
      ['model/column.ts', '../parse/operators.ts'],
      ['errors.ts', './api.ts'],
      ['query/plan/order/page.ts', '../http/links.ts'],
    ] as const) {
      equal(problem(file, `import { x } from '${from}'`).includes('downwards only'), true, file)
    }
  })

  test('refuse what a stage never imports', () => {
    const refused = 'which never does so'
    for (const [file, from] of [
      ['query/plan/relations/joins.ts', 'kysely'],
      ['serialize/json.ts', 'kysely'],
      ['query/parse/ast.ts', '../json/stringify.ts'],
      ['query/compile/rows/condition.ts', '../parse/operators.ts'],
      ['query/compile/rows/condition.ts', '../config/settings.ts'],
      ['openapi/document.ts', '../plan/plan.ts'],
    ] as const) {
      equal(problem(file, `import { x } from '${from}'`).includes(refused), true, file)
    }
  })

  test('refuse packages that the core does not carry', () => {
    equal(problem('api.ts', `import { readFile } from 'node:fs'`).includes('not one of'), true)
    equal(
      problem('drivers/sqlite/prepared.ts', `import S from 'better-sqlite3'`).includes(
        'not one of',
      ),
      true,
    )
    equal(
      problem('auth/users/users.ts', `import { hash } from 'bcryptjs'`).includes('import() only'),
      true,
    )
    equal(
      problem('openapi/document.ts', `import { OpenApiBuilder } from 'openapi3-ts/oas31'`),
      'openapi3-ts/oas31 may be imported for its types only',
    )
  })

  test('refuse barrels, unknown folders and imports out of the core', () => {
    equal(
      problem('query/plan/read-plan.ts', `export * from './where.ts'`).includes('passed on'),
      true,
    )
    equal(problem('misc/x.ts', '').includes('has no layer'), true)
    equal(
      problem('api.ts', `import x from '../../http-node/src/index.ts'`).includes('outside'),
      true,
    )
  })
})
