/** Imports of the core follow the layers of layers.ts. */
import { posix } from 'node:path'
import { equal, ok } from '../support/assert.ts'
import { filesBelow, importsOf, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { entries, firstUse, layers, never, packages } from './layers.ts'

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
    if (typeOnly) {
      return roomLevel(target) < roomLevel(file) || roomOf(target) === roomOf(file)
        ? []
        : say(`does not lie below ${roomOf(file)}; types come from lower rooms and the own one`)
    }
    const to = placeOf(target)
    const layer = layerOf(to)
    if (to === from) return []
    if (never[from]?.some((place) => isIn(target, place))) {
      return say(`is imported by ${from}, which never does so`)
    }
    return layer < own ? [] : say(`does not lie below ${from}; values are imported downwards only`)
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

/** Whether a file is in a folder of the core. */
const isIn = (file: string, folder: string): boolean => file.startsWith(`${root}${folder}/`)

/** The longest beginning of a file's path below src that has a layer; otherwise the name of its room. */
function placeOf(file: string): string {
  const parts = file.slice(root.length).split('/')
  const places = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  return places.findLast((place) => layerOf(place) !== -1) ?? places[0] ?? ''
}

/** The folder of `src` that contains a file, or the file itself. */
const roomOf = (file: string): string => file.slice(root.length).split('/')[0] ?? ''

/** The layer of the lowest place of a file's room. */
const roomLevel = (file: string): number =>
  layers.findIndex((names) => names.some((name) => name.split('/')[0] === roomOf(file)))

function layerOf(place: string): number {
  return layers.findIndex((names) => names.includes(place))
}

/** The files that an entry loads, without those behind `import()`. */
function loadedBy(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry])
  for (const file of loaded) {
    for (const { from, typeOnly, kind } of importsOf(readSource(`${root}${file}`))) {
      const loads = from.startsWith('.') && !typeOnly && kind !== 'dynamic'
      if (loads) loaded.add(posix.join(posix.dirname(file), from))
    }
  }
  return loaded
}

suite('imports', (test) => {
  test('of the core point down the layers', () => {
    equal(
      filesBelow(root).flatMap((file) => problemsOf(file, readSource(file))),
      [],
    )
  })

  test('load with an entry only what every API needs', () => {
    const loaded = loadedBy('index.ts')
    ok(loaded.has('handle.ts'))
    equal(
      firstUse.filter((file) => loaded.has(file)),
      [],
    )
    equal([...loaded].filter((file) => /^(?:catalogue|openapi|http\/pages)\//.test(file)).sort(), [
      'catalogue/check/schema-check.ts',
      'openapi/check-error-codes.ts',
      'openapi/endpoint/documentation.ts',
      'openapi/error-catalogue.ts',
    ])
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

  /** The problem of a file that imports a value from another one. */
  const importing = (file: string, target: string): string => {
    const path = posix.relative(posix.dirname(file), target)
    return problem(file, `import { x } from '${path.startsWith('.') ? path : `./${path}`}'`)
  }

  test('let a place import what lies below it, and itself', () => {
    equal(importing('query/plan/conditions/where.ts', 'query/plan/conditions/value.ts'), '')
    equal(importing('query/plan/conditions/where.ts', 'query/plan/names.ts'), '')
    equal(importing('query/plan/conditions/where.ts', 'errors.ts'), '')
    equal(importing('query/plan/conditions/where.ts', 'model/query-words/operators.ts'), '')
    equal(importing('auth/users/users.ts', 'access/roles/roles.ts'), '')
    equal(importing('write/body/validators.ts', 'model/hooks/call-hook.ts'), '')
    equal(problem('index.ts', `export { createApi } from './api.ts'`), '')
    equal(problem('introspect.ts', `export { introspect } from './catalogue/introspect.ts'`), '')
    equal(problem('auth/users/users.ts', `const { compare } = await import('bcryptjs')`), '')
  })

  test('let types come from lower rooms, and from any place of their own', () => {
    const text = `import type { ListPlan } from '../plan/plan.ts'`
    equal(problem('query/parse/ast.ts', text), '')
    equal(problem('query/plan/plan.ts', `import type { SelectQueryBuilder } from 'kysely'`), '')
    equal(
      problem(
        'query/plan/plan.ts',
        `import type { LookUp } from '../../dialect/related-look-up.ts'`,
      ),
      '',
    )
    equal(
      problem('openapi/document.ts', `import type { OpenAPIObject } from 'openapi3-ts/oas31'`),
      '',
    )
    equal(
      problem('model/route.ts', `import type { Target } from '../query/compile/target.ts'`),
      '../query/compile/target.ts does not lie below model; types come from lower rooms and the own one',
    )
  })

  test('refuse a value from above or beside', () => {
    equal(
      importing('query/parse/ast.ts', 'query/plan/read-plan.ts'),
      '../plan/read-plan.ts does not lie below query/parse; values are imported downwards only',
    )
    for (const [file, target] of [
      ['access/policies/scope.ts', 'auth/users/users.ts'],
      ['model/column.ts', 'model/settings/settings.ts'],
      ['errors.ts', 'api.ts'],
      ['query/plan/order/page.ts', 'http/etag.ts'],
      ['drivers/mysql/guarded-mysql.ts', 'query/parse/ast.ts'],
      ['write/store/save.ts', 'access/hooks/write-hooks.ts'],
      ['openapi/document.ts', 'catalogue/check/schema-check.ts'],
    ] as const) {
      equal(importing(file, target).includes('downwards only'), true, file)
    }
  })

  test('refuse what a place never imports', () => {
    const refused = 'which never does so'
    equal(
      problem('query/plan/relations/joins.ts', `import { x } from 'kysely'`).includes(refused),
      true,
    )
    for (const [file, target] of [
      ['query/parse/ast.ts', 'lib/json/stringify.ts'],
      ['query/compile/rows/condition.ts', 'query/parse/ast.ts'],
      ['query/compile/rows/condition.ts', 'model/settings/settings.ts'],
      ['openapi/document.ts', 'query/plan/plan.ts'],
    ] as const) {
      equal(importing(file, target).includes(refused), true, file)
    }
  })

  test('refuse packages that the core does not carry', () => {
    equal(problem('api.ts', `import { readFile } from 'node:fs'`).includes('not one of'), true)
    equal(
      problem('drivers/sqlite/prepared-sqlite.ts', `import S from 'better-sqlite3'`).includes(
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
