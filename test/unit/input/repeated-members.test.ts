/** A record of a list is read as it would be alone, whatever the record before it was. */
import { belongsTo, defineModel } from '@model-api/core'
import type { JsonValue } from '../../../packages/core/src/lib/json/json-value.ts'
import type { WriteMode } from '../../../packages/core/src/model/registry/checks/field-rules.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { Resource } from '../../../packages/core/src/model/registry/resource.ts'
import { inputProblems } from '../../../packages/core/src/write/body/input-problems.ts'
import type { Identifying } from '../../../packages/core/src/write/body/plain-record.ts'
import { plainInMode } from '../../../packages/core/src/write/body/plain-record.ts'
import { nodeReader, readNode } from '../../../packages/core/src/write/body/read-body.ts'
import { RepeatedInMode } from '../../../packages/core/src/write/body/repeated-members.ts'
import type { RecordNode } from '../../../packages/core/src/write/nodes/node.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const Author = defineModel('Author', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string', minLength: 2 },
    code: { type: 'string', unique: true, immutable: true },
    pages: { type: 'integer', nullable: true },
    due: { type: 'date', nullable: true },
    seen: { type: 'datetime', readOnly: true, hasDefault: true },
    author_id: { type: 'integer', nullable: true },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

const { registry } = buildRegistry({ models: [Author, Book], config: {} })
const books = registry.byName.get('Book') as Resource

const bodies: readonly JsonValue[] = [
  { id: 1, title: 'One', code: 'a', pages: 1 },
  { id: 2, title: 'Two', code: 'b', pages: null },
  { title: 'Three', id: 3, code: 'c', pages: 3 },
  { id: 4, title: 'Four', code: 'd' },
  { id: 5, title: 'Five', code: 'e', pages: 5, due: '2026-02-03' },
  { id: 6, title: 'Six', code: 'f', pages: '6' },
  { id: 7, title: null, code: 'g', pages: 7 },
  { id: 8, title: 'E', code: 'h', pages: 8 },
  { id: 9, title: 'Nine', code: 'i', page: 9 },
  { id: 10, title: 'Ten', code: 'j', seen: '2026-02-03T04:05:06Z' },
  { id: 11, title: 'Eleven', code: 'k', author: { id: 1 } },
  { title: 'Twelve', pages: 12 },
  {},
  [],
  null,
  'text',
]

const identifyings: readonly Identifying[] = [
  new Map(),
  new Map([['id', undefined]]),
  new Map([['code', undefined]]),
  new Map([['title', 'generated']]),
]

const modes = ['create', 'update', 'replace'] as const
const host = { call: () => Promise.reject(new Error('no validator')) } as never

const plain = (node: RecordNode): unknown => ({
  ...node,
  resource: node.resource.name,
  names: undefined,
})

const readAlone = (
  body: JsonValue,
  path: string,
  mode: WriteMode,
  identifying: Identifying,
): readonly [unknown, unknown] => {
  const problems = inputProblems()
  const node = readNode(books, body, { path, mode, identifying }, problems, host) as RecordNode
  return [plain(node), [...problems.found]]
}

suite('records with the members of the one before', (test) => {
  for (const mode of modes) {
    test(`${mode}: each of three records is read as if it were alone`, () => {
      for (const identifying of identifyings) {
        const alone = bodies.map((body, i) => readAlone(body, `[${i}]`, mode, identifying))
        for (const first of bodies) {
          for (const second of bodies) {
            for (const [i, third] of bodies.entries()) {
              const problems = inputProblems()
              const read = nodeReader(books, { mode, identifying }, problems, host)
              read(first, 'first')
              read(second, 'second')
              const node = read(third, `[${i}]`) as RecordNode
              const found = problems.found.filter(({ path }) => path.startsWith('['))
              equal([plain(node), found], alone[i], JSON.stringify([first, second, third]))
            }
          }
        }
      }
    })
  }

  test('an upsert finds out alike whether the change can also create the record', () => {
    for (const identifying of identifyings) {
      const read = nodeReader(books, { mode: 'update', identifying }, inputProblems(), host)
      const repeated = new RepeatedInMode('create', identifying)
      for (const first of bodies) {
        for (const body of bodies) {
          for (const one of [first, body]) {
            const node = read(one, '') as RecordNode
            equal(
              repeated.read(node, one) === node,
              plainInMode(node, one, 'create', identifying) === node,
            )
          }
        }
      }
    }
  })
})
