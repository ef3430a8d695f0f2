/** Words that may occur only in one place of the core: databases, settings, clocks. Comments are exempt. */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, type Source, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

interface Rule {
  readonly about: string
  readonly where: (file: string) => boolean
  readonly look: keyof Source
  readonly forbidden: RegExp
}

/** Pure files: the result depends only on the arguments, including clock and ids, and is returned synchronously. */
const pure =
  /^lib\/naming\/|^query\/(parse|plan|compile|serialize)\/|^openapi\/(?!endpoint\/)|^access\/roles\/roles\.ts$/

const rules: readonly Rule[] = [
  {
    about: 'only dialect/, drivers/ and catalogue/ name databases, each in a folder of its own',
    where: (file) =>
      !/^(dialect\/|(drivers|catalogue)\/(mysql|postgres|sqlite|shared)\/|catalogue\/(catalogue-reader|schema-rules-of)\.ts$|drivers\.ts$)/.test(
        file,
      ),
    look: 'uncommented',
    forbidden: /sqlite|postgres|mysql|mariadb/gi,
  },
  {
    about: 'only model/settings/ spells settings as the specification does',
    where: (file) => !file.startsWith('model/settings/'),
    look: 'strings',
    forbidden: /\bAPI_[A-Z]\w*/g,
  },
  {
    about: 'only errors.ts makes errors, which bounds what they quote',
    where: (file) => file !== 'errors.ts',
    look: 'code',
    forbidden: /\bnew\s+ApiError\b/g,
  },
  {
    about: 'pure folders do not wait',
    where: (file) => pure.test(file),
    look: 'code',
    forbidden: /\b(async|await|Promise|setTimeout|queueMicrotask)\b/g,
  },
  {
    about: 'pure folders have no clock and no dice',
    where: (file) => pure.test(file),
    look: 'code',
    forbidden:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(\(\s*\)|(?![\s(]))|\bMath\s*\.\s*random\b|\bperformance\b|\brandomUUID\b/g,
  },
]

/** `file` is a path below the sources of the core. */
function problemsOf(file: string, text: string): string[] {
  const source = scan(text)
  return rules
    .filter((rule) => rule.where(file))
    .flatMap((rule) =>
      [...source[rule.look].matchAll(rule.forbidden)].map((match) => {
        const line = text.slice(0, match.index).split('\n').length
        return `${file}:${line}: "${match[0]}": ${rule.about}`
      }),
    )
}

suite('words', (test) => {
  test('occur only where they are allowed', () => {
    const problems = filesBelow(root).flatMap((file) =>
      problemsOf(file.slice(root.length), readSource(file)),
    )
    equal(problems, [])
  })
})

suite('the rules about words', (test) => {
  const found = (file: string, text: string): string[] =>
    problemsOf(file, text).map((problem) => /"(.*?)"/.exec(problem)?.[1] ?? problem)

  test('find names of databases elsewhere', () => {
    equal(found('query/compile/rows/condition.ts', `if (name === 'sqlite') mysqlLike()`), [
      'sqlite',
      'mysql',
    ])
    equal(found('api.ts', 'const MariaDB = 1'), ['MariaDB'])
    equal(found('dialect/mysql/mysql-dialect.ts', `const name = 'mysql'`), [])
    equal(found('drivers.ts', `export { preparedPg } from './drivers/postgres/prepared.ts'`), [])
    equal(found('catalogue/introspect/introspect-database.ts', `const name = 'postgres'`), [
      'postgres',
    ])
    equal(found('query/compile/rows/condition.ts', '/** On PostgreSQL: `ilike`. */ // MySQL'), [])
  })

  test('find names of settings outside model/settings/', () => {
    equal(found('handle.ts', `throw new Error('set API_ALLOW_JOIN')`), ['API_ALLOW_JOIN'])
    equal(found('handle.ts', 'throw new Error(`set API_ALLOW_JOIN ${x}`)'), ['API_ALLOW_JOIN'])
    equal(found('model/settings/setting-table.ts', `const key = 'API_TITLE'`), [])
    equal(found('handle.ts', '// API_TITLE'), [])
  })

  test('find errors created elsewhere', () => {
    equal(found('query/plan/order/page.ts', 'throw new ApiError(400, body)'), ['new ApiError'])
    equal(found('errors.ts', 'new ApiError(400, body)'), [])
  })

  test('find asynchrony, clocks and randomness in pure folders', () => {
    equal(found('query/plan/order/page.ts', 'export async function f() { await g() }'), [
      'async',
      'await',
    ])
    equal(found('access/roles/roles.ts', 'async () => 1'), ['async'])
    equal(
      found('lib/naming/case.ts', 'Date.now(); new Date(); Math.random(); crypto.randomUUID()'),
      ['Date.now', 'new Date()', 'Math.random', 'randomUUID'],
    )
    equal(
      found(
        'query/plan/conditions/value.ts',
        `new Date(text); const date = 'async'; // Date.now()`,
      ),
      [],
    )
    equal(found('access/policies/scope.ts', 'async () => Date.now()'), [])
  })
})
