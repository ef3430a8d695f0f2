/** The code for golden files: reading, printing, comparing, updating. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, match, throws } from '../../support/assert.ts'
import { diffLines } from '../../support/diff.ts'
import {
  compareGolden,
  type GoldenFile,
  goldenFiles,
  parseGolden,
  printGolden,
  wantedSections,
} from '../../support/golden.ts'
import { printValue } from '../../support/print-value.ts'
import { suite } from '../../support/suite.ts'

const text = `A filter by title.

### request
GET /api/books?title__eq=Emma

### ast
{ "kind": "filter" }

### response
200
{ "value": [] }
`

suite('golden files', (test) => {
  let folder = ''
  const write = (content: string): GoldenFile => {
    mkdirSync(join(folder, 'read'), { recursive: true })
    writeFileSync(join(folder, 'read/filter.http'), content)
    const [file] = goldenFiles(folder)
    if (file === undefined) throw new Error('no file')
    return file
  }
  const updating = (run: () => void): void => {
    const before = process.env.UPDATE_GOLDEN
    process.env.UPDATE_GOLDEN = '1'
    try {
      run()
    } finally {
      process.env.UPDATE_GOLDEN = before
      if (before === undefined) delete process.env.UPDATE_GOLDEN
    }
  }
  const outside = { update: process.env.UPDATE_GOLDEN, filter: process.env.GOLDEN_FILTER }

  test.before.each(() => {
    // This file tests that code, whatever mode the run itself has.
    delete process.env.UPDATE_GOLDEN
    delete process.env.GOLDEN_FILTER
    folder = mkdtempSync(join(tmpdir(), 'model-api-golden-'))
  })
  test.after.each(() => {
    rmSync(folder, { recursive: true })
    if (outside.update !== undefined) process.env.UPDATE_GOLDEN = outside.update
    if (outside.filter !== undefined) process.env.GOLDEN_FILTER = outside.filter
  })

  test('printing what was read gives the same text', () => {
    const file = parseGolden(text, 'golden/read/filter.http')
    equal(file.name, 'read/filter')
    equal(file.intro, 'A filter by title.')
    equal(file.sections.request, 'GET /api/books?title__eq=Emma')
    equal(printGolden(file), text)
  })

  test('a misspelt, doubled or missing section is refused', () => {
    throws(() => parseGolden('### requets\n', 'x.http'), '"### requets" is not one of')
    throws(() => parseGolden('### request\na\n### request\nb\n', 'x.http'), 'twice')
    throws(() => parseGolden('### ast\n{}\n', 'x.http'), 'request is missing')
  })

  test('the same sections pass', () => {
    compareGolden(write(text), { ast: { kind: 'filter' }, response: '200\n{ "value": [] }' })
  })

  test('another section fails with the difference', () => {
    const file = write(text)
    const error = throws(() => compareGolden(file, { response: '404\n{ "value": [] }' }))
    match(error.message, '### response\n- 200\n+ 404\n  { "value": [] }')
  })

  test('a file shows only the sections it has', () => {
    const file = write(text)
    equal(wantedSections(file), ['ast', 'response'])
    compareGolden(file, { plan: 'not shown in this file' })
  })

  test('a file without results fails until it is updated, and then has all sections', () => {
    const file = write('### request\nGET /api/books\n')
    throws(() => compareGolden(file, { response: '200' }), 'no answers yet')
    updating(() => compareGolden(file, { ast: [], response: '200' }))
    equal(
      readFileSync(file.path, 'utf8'),
      '### request\nGET /api/books\n\n### ast\n[]\n\n### response\n200\n',
    )
  })

  test('MySQL has a section where its statements differ from those of MariaDB', () => {
    const shared = 'select a collate utf8mb4_nopad_bin'
    const own = 'select any_value(a)'
    const file = write(`### request\nGET /\n\n### mariadb\n${shared}\n`)
    compareGolden(file, { mysql: 'select a collate utf8mb4_0900_bin' })
    throws(() => compareGolden(file, { mysql: own }), '### mysql')
    updating(() => compareGolden(file, { mysql: own }))
    const [differing] = goldenFiles(folder)
    equal(differing?.sections, { request: 'GET /', mariadb: shared, mysql: own })
    updating(() =>
      compareGolden(differing as GoldenFile, { mysql: 'select a collate utf8mb4_0900_bin' }),
    )
    equal(goldenFiles(folder)[0]?.sections, { request: 'GET /', mariadb: shared })
  })

  test('an update keeps sections that the run did not produce', () => {
    const file = write(text)
    updating(() => compareGolden(file, { response: '500' }))
    equal(readFileSync(file.path, 'utf8'), text.replace('200\n{ "value": [] }', '500'))
  })
})

suite('readable output', (test) => {
  test('a value stays on one line while it fits', () => {
    equal(printValue({ a: 1n, b: undefined, c: [] }), '{ "a": 1n, "c": [] }')
    const long = { first: 'x'.repeat(60), second: ['y'.repeat(40)] }
    equal(printValue(long), `{\n  "first": "${long.first}",\n  "second": ["${long.second[0]}"]\n}`)
  })

  test('a circular reference is printed finitely', () => {
    const self: Record<string, unknown> = {}
    self.self = self
    equal(printValue(self), '{ "self": "(circular)" }')
  })

  test('a diff shows the changed lines and their neighbours', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].join('\n')
    equal(diffLines(before, before), '')
    equal(diffLines(before, before.replace('d', 'D')), '  …\n  b\n  c\n- d\n+ D\n  e\n  f\n  …')
  })
})
