/** What a bundle of the typed client holds: its own few files, no package, at most 5 kB. */
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { equal, ok } from '../support/assert.ts'
import { importsOf, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const core = 'packages/core/src'

/** The files whose values a program gets that imports this one, and the packages among them. */
function reached(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const { from, typeOnly } of importsOf(readSource(file))) {
    if (typeOnly || onlyTypes(file, from)) continue
    if (from.startsWith('.')) reached(posix.join(posix.dirname(file), from), found)
    else found.add(from)
  }
  return found
}

/** Whether every name of an import is marked `type`. */
function onlyTypes(file: string, from: string): boolean {
  const names = new RegExp(`\\{([^}]*)\\} from '${from.replace(/[.]/g, '\\.')}'`).exec(
    readSource(file),
  )?.[1]
  return names?.split(',').every((name) => /^\s*(type\s|$)/.test(name)) ?? false
}

/** JavaScript without comments and the blanks that types leave, as the least that every bundler does; names keep their length. */
const bundled = (file: string): string =>
  stripTypeScriptTypes(readSource(file))
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/ {2,}/g, ' ')
    .replace(/^import [\s\S]*?from '[^']*'$/gm, '')
    .replace(/^export /gm, '')

suite('the bundle of the typed client', (test) => {
  const files = [...reached(`${core}/client.ts`)]

  test('has no file of the server, and no package', () => {
    equal(
      files.filter((file) => !file.startsWith(`${core}/client/`)),
      [`${core}/client.ts`],
    )
    ok(reached(`${core}/introspect.ts`).size > 10)
    ok(reached(`${core}/index.ts`).has('kysely'))
  })

  test('is at most 5,000 bytes, compressed', () => {
    const text = files.slice(1).map(bundled).join('\n')
    const size = gzipSync(text, { level: 9 }).length
    console.log(`${size} bytes of ${text.length} without minifying names`)
    ok(text.includes('function createClient'), text)
    ok(size <= 5000, `${size} bytes`)
  })

  test('has options for TanStack Query in at most 1,000 bytes, compressed', () => {
    const own = [...reached(`${core}/client/query-options.ts`)]
    equal(
      own.filter((file) => !files.includes(file)),
      [],
    )
    const text = bundled(`${core}/client/query-options.ts`)
    const size = gzipSync(text, { level: 9 }).length
    console.log(`${size} bytes of ${text.length} without minifying names`)
    ok(text.includes('function infiniteQueryOptions'), text)
    ok(size <= 1000, `${size} bytes`)
  })
})
