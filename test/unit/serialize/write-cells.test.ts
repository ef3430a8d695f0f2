/** The values of a row as members: the same text as JSON.stringify, in any combination. */
import * as fc from 'fast-check'
import {
  writerOf,
  writerOfDecoder,
} from '../../../packages/core/src/dialect/shared/json/json-writer.ts'
import { decoderOf } from '../../../packages/core/src/dialect/shared/values/decode.ts'
import {
  cellsWriter,
  type OwnMember,
} from '../../../packages/core/src/query/serialize/write-cells.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const text = { name: 'title', type: 'text' as const, nullable: true }
const whole = { name: 'pages', type: 'integer' as const, nullable: true }
const writers = {
  text: writerOf(text, decoderOf(text)),
  whole: writerOf(whole, decoderOf(whole)),
  plain: writerOfDecoder(decoderOf(text)),
}

const cell = fc.oneof(
  fc.record({
    kind: fc.constantFrom('text' as const, 'plain' as const),
    value: fc.option(fc.string({ unit: 'binary' })),
  }),
  fc.record({ kind: fc.constant('whole' as const), value: fc.option(fc.integer()) }),
)

suite('serialize/write-cells', (test) => {
  test('strings, numbers and nulls in any order', () => {
    void fc.assert(
      fc.property(fc.array(cell, { maxLength: 6 }), (cells) => {
        const members = cells.map(({ kind }, index): OwnMember => {
          const name = `"${index}é`
          return { name, reader: { index, alias: `c_${index}`, write: writers[kind] } }
        })
        const object = Object.fromEntries(cells.map(({ value }, i) => [`"${i}é`, value]))
        const expected = cells.length === 0 ? '' : JSON.stringify(object).slice(0, -1)
        equal(cellsWriter(members, true)(cells.map(({ value }) => value)), expected)
        const byAlias = Object.fromEntries(cells.map(({ value }, i) => [`c_${i}`, value]))
        equal(cellsWriter(members, false)(byAlias), expected)
      }),
      { numRuns: 2_000, seed: 20261122 },
    )
  })

  test('a member without a reader is null', () => {
    const members = [{ name: 'id', reader: undefined }]
    equal(cellsWriter(members, true)([1]), '{"id":null')
    equal(cellsWriter(members, false)({ '': 1 }), '{"id":null')
  })
})
