/** A bundle of the typed client contains only the client's own files, no package, and at most 5.42 kB. */
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { equal, ok } from '../support/assert.ts'
import { importsOf, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const core = 'packages/core/src'

/** The files whose values a program loads if it imports this file, and the packages among them. */
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

/** Removes comments, and the blanks left by types, as every bundler at least does; keeps the names. */
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

  test('has no file of the server but the writer of conditions, and no package', () => {
    equal(
      files.filter((file) => !file.startsWith(`${core}/client/`)),
      [`${core}/client.ts`, `${core}/model/query-words/condition-text.ts`],
    )
    ok(reached(`${core}/introspect.ts`).size > 10)
    ok(reached(`${core}/index.ts`).has('kysely'))
  })

  test('is at most 5,500 bytes, compressed', () => {
    const text = files.slice(1).map(bundled).join('\n')
    const size = gzipSync(text, { level: 9 }).length
    console.log(`${size} bytes of ${text.length} without minifying names`)
    ok(text.includes('function createClient'), text)
    ok(
      size <= 5500,
      `${size} bytes of at most 5,500: browsers load them; shorten client/, or raise the limit here`,
    )
  })

  test('has options for TanStack Query in at most 1,000 bytes, compressed', () => {
    const own = [...reached(`${core}/client/query/query-options.ts`)]
    equal(
      own.filter((file) => !files.includes(file)),
      [],
    )
    const text = bundled(`${core}/client/query/query-options.ts`)
    const size = gzipSync(text, { level: 9 }).length
    console.log(`${size} bytes of ${text.length} without minifying names`)
    ok(text.includes('function infiniteQueryOptions'), text)
    ok(size <= 1000, `${size} bytes`)
  })
})
