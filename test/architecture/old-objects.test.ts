/**
 * No function is made where it is assigned to a property. V8 takes such a function for a method that lives as long as the program,
 * and allocates it in its old generation. The function, and all values that it uses, then stay in memory until the next full
 * garbage collection: those of a write include its records.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const assigned =
  /^\s*\w+(?:\.#?\w+|\[[^\]]+\]|\([^()]*\))+\s*(?:\?\?|\|\|)?=\s*\(*(?:async\s+)?(?:function\b|\w+\s*=>|\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\s*:[^=;{]+)?\s*=>)/gm

/** The assignments of a source text that make their function. */
const assignmentsIn = (text: string): readonly string[] => scan(text).code.match(assigned) ?? []

suite('old objects', (test) => {
  test('no source assigns a function where it makes it', () => {
    const found = filesBelow('packages')
      .filter((file) => file.includes('/src/'))
      .flatMap((file) => assignmentsIn(readSource(file)).map((code) => `${file}: ${code}`))
    equal(found, [])
  })

  test('the rule finds such assignments', () => {
    for (const code of [
      'connection.executeQuery = (query, options) => send(query, options)',
      'this.#bounded = (compiled: Compiled): Promise<void> => this.#execute(compiled)',
      'own.executor().provide = (use) => use(one)',
      'one.call = async (use) => use(one)',
      'one.call = use => use(one)',
      'one.call ??= function () {}',
      'executor[name] = ((...given: unknown[]) => derive(...given)) as never',
    ]) {
      equal(assignmentsIn(code).length, 1, code)
    }
    for (const code of [
      'const send = (query) => connection.send(query)',
      'const send: Connection["send"] = (query) => connection.send(query)',
      'connection.executeQuery = send',
      'const one = { call: (use) => use(one) }',
      'if (one.call === undefined) return (use) => use(one)',
      'class A { readonly #left = (): void => {} }',
      'one.total = (first + second) * 2',
    ]) {
      equal(assignmentsIn(code), [], code)
    }
  })
})
