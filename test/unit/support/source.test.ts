/** The simple reader of TypeScript sources that the architecture tests use. */
import { equal, match, ok } from '../../support/assert.ts'
import { importsOf, scan } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'

suite('scan', (test) => {
  test('distinguishes code, strings and comments', () => {
    const { code, uncommented, strings } = scan(`const a = 'mysql' // sqlite\n/* postgres */ b()`)
    ok(!/mysql|sqlite|postgres/.test(code))
    match(uncommented, 'mysql')
    ok(!/sqlite|postgres/.test(uncommented))
    equal(strings.trim(), 'mysql')
  })

  test('keeps the length, so that positions do not change', () => {
    const text = 'a `b ${c /* d */} e` /* f */\n'
    const { code, strings } = scan(text)
    equal(code.length, text.length)
    equal(code, 'a `  ${c        }  `        \n')
    equal(strings, '   b              e         \n')
  })

  test('reads code inside nested templates as code', () => {
    const { code } = scan('`x ${f({ a: `y ${async} z` })} w`')
    match(code, 'async')
    ok(!/[xzw]/.test(code))
  })

  test('does not take a quote or slash in a regular expression for a delimiter', () => {
    const { code } = scan(`const r = /['"\\/[/]\`]/g; const d = a / b / c; async`)
    match(code, /a \/ b \/ c; async/)
  })

  test('ends a string at the end of its line', () => {
    match(scan(`// it's\nasync`).code, 'async')
  })
})

suite('importsOf', (test) => {
  const of = (text: string): string[] =>
    importsOf(text).map((found) => `${found.typeOnly ? 'type ' : ''}${found.kind} ${found.from}`)

  test('finds every form', () => {
    equal(of(`import a from './a.ts'`), ['import ./a.ts'])
    equal(of(`import { a,\n  type B,\n} from "./a.ts"`), ['import ./a.ts'])
    equal(of(`import * as a from './a.ts'`), ['import ./a.ts'])
    equal(of(`import a, { b } from './a.ts'`), ['import ./a.ts'])
    equal(of(`import './a.ts'`), ['import ./a.ts'])
    equal(of(`export { a } from './a.ts'`), ['export ./a.ts'])
    equal(of(`export * from './a.ts'`), ['export ./a.ts'])
    equal(of(`const a = await import('./a.ts')`), ['dynamic ./a.ts'])
  })

  test('recognises type imports', () => {
    equal(of(`import type { A } from './a.ts'`), ['type import ./a.ts'])
    equal(of(`import type A from './a.ts'`), ['type import ./a.ts'])
    equal(of(`export type { A } from './a.ts'`), ['type export ./a.ts'])
    equal(of(`import type { A } from './a.ts'\nimport { b } from './b.ts'`), [
      'type import ./a.ts',
      'import ./b.ts',
    ])
  })

  test('ignores text about imports', () => {
    equal(of(`// import a from './a.ts'`), [])
    equal(of('const s = `import a from "./a.ts"`'), [])
    equal(of(`export const a = 1\nexport function f() {}\nconst from = 'x'`), [])
  })
})
