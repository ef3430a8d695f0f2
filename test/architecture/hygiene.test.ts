/** Nothing in the repository or its tests depends on one machine or one point in time. */
import { equal } from '../support/assert.ts'
import { filesBelow, importsOf, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const texts = /\.(ts|js|mjs|json|jsonc|ya?ml|md|http|sql|sh)$|^(run|LICENSE|\.\w+)$/

function importsUvu(text: string): boolean {
  return importsOf(text).some(({ from }) => /^uvu(\/|$)/.test(from))
}

/** `test.only` silently omits the other tests, and `test.skip` is forgotten. */
function narrows(text: string): boolean {
  return /\.\s*(only|skip)\s*\(/.test(scan(text).code)
}

/** Folders of a particular machine; composed here so that this file does not contain them. */
const homes = ['home', 'root', 'Users', 'work', 'mnt'].map((folder) => `/${folder}/`)

function machinePaths(text: string): string[] {
  const paths = new RegExp(
    `(?<=^|[\\s'"\`(=:\\[])(?:${homes.join('|')}|[A-Z]:\\\\\\w)[^\\s'"\`)]*`,
    'gm',
  )
  return text.match(paths) ?? []
}

function where(files: readonly string[], wrong: (text: string) => boolean): string[] {
  return files.filter((file) => wrong(readSource(file)))
}

suite('hygiene', (test) => {
  const tests = filesBelow('test')

  test('uvu is imported by the support files alone', () => {
    const others = tests.filter((file) => !file.startsWith('test/support/'))
    equal(where([...others, ...filesBelow('packages'), ...filesBelow('examples')], importsUvu), [])
    equal(importsUvu(`import { test } from 'uvu'`), true)
    equal(importsUvu(`import * as assert from 'uvu/assert'`), true)
    equal(importsUvu(`import { suite } from '../support/suite.ts'`), false)
  })

  test('no test is skipped or run alone', () => {
    equal(where(tests, narrows), [])
    equal(narrows(`test${'.only'}('x', () => {})`), true)
    equal(narrows(`test${'.skip'}('x', () => {})`), true)
    equal(narrows(`// test${'.only'}('x')`), false)
  })

  test('no file contains the path of a machine', () => {
    const found = filesBelow('', texts).flatMap((file) =>
      machinePaths(readSource(file)).map((path) => `${file}: ${path}`),
    )
    equal(found, [])
    equal(machinePaths(`cd ${homes[0]}me/model-api`), [`${homes[0]}me/model-api`])
    equal(machinePaths(`'C:${'\\'}Users'`), [`C:${'\\'}Users`])
    equal(machinePaths('GET /api/home/1, example.com/work/2'), [])
  })

  test('a file that a comment or a page names exists', () => {
    const files = filesBelow('', texts)
    const exists = (named: string): boolean => {
      const path = named.replace(/^(\.\.?\/)+/, '')
      return files.some((file) => file === path || file.endsWith(`/${path}`))
    }
    const namedIn = (file: string): string[] => {
      const lines = readSource(file).split('\n')
      const prose = file.endsWith('.md')
        ? lines
        : lines.filter((line) => /^\s*(\/?\*|\/\/)/.test(line))
      return prose.flatMap((line) =>
        [...line.matchAll(/`([\w./-]+[\w-]\.ts)`/g)].map(([, name = '']) => name),
      )
    }
    const found = [...filesBelow('packages', texts), ...filesBelow('docs/inside', texts)].flatMap(
      (file) => namedIn(file).flatMap((name) => (exists(name) ? [] : [`${file}: ${name}`])),
    )
    equal(found, [])
  })

  test('no file contains merge conflict markers', () => {
    const marked = (text: string): boolean =>
      new RegExp(`^(?:${'<'.repeat(7)}|${'>'.repeat(7)}) `, 'm').test(text)
    equal(where(filesBelow('', texts), marked), [])
    equal(marked(`a\n${'<'.repeat(7)} HEAD\nb`), true)
  })

  test('the lock file contains no addresses', () => {
    equal(readSource('pnpm-lock.yaml').match(/https?:\/\/\S+/g), null)
  })
})
