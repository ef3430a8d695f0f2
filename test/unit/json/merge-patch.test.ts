/** mergePatch: the examples and the algorithm of RFC 7396, and names with a meaning in JavaScript. */
import fc from 'fast-check'
import { mergePatch } from '../../../packages/core/src/lib/json/merge-patch.ts'
import { verbatimNumber } from '../../../packages/core/src/lib/json/verbatim.ts'
import { equal } from '../../support/assert.ts'
import { type Json, mergeExamples, referenceMerge } from '../../support/merge-reference.ts'
import { propertySeed } from '../../support/property.ts'
import { suite } from '../../support/suite.ts'

suite('merge patch', (test) => {
  test('the examples of RFC 7396', () => {
    for (const [document, patch, result] of mergeExamples) {
      equal(mergePatch(JSON.parse(document), JSON.parse(patch)), JSON.parse(result), patch)
    }
  })

  test('merges any documents as by the algorithm of RFC 7396, and changes neither', () => {
    // Few names, so that most patches change members of the document.
    const { node: json } = fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<Json>(null, true, 0, '', 'x', 12.5),
        fc.array(tie('node'), { maxLength: 3 }) as fc.Arbitrary<Json>,
        fc.dictionary(
          fc.constantFrom('a', 'b', 'c', '10', 'toString'),
          tie('node'),
        ) as fc.Arbitrary<Json>,
      ),
    }))
    const property = fc.property(json, json, (document, patch) => {
      const before = JSON.stringify([document, patch])
      equal(mergePatch(document, patch), referenceMerge(document, patch))
      equal(JSON.stringify([document, patch]), before)
    })
    fc.assert(property, { numRuns: 2000, seed: propertySeed })
  })

  test('inherited properties are no members, and "__proto__" stays an own property', () => {
    const stored = JSON.parse('{"__proto__":{"a":1},"b":2}')
    const merged = mergePatch(stored, { toString: { a: 1 }, b: 3 })
    equal(JSON.stringify(merged), '{"__proto__":{"a":1},"b":3,"toString":{"a":1}}')
    equal(Object.getPrototypeOf(merged), Object.prototype)
    const patch = JSON.parse('{"__proto__":{"polluted":true}}')
    equal(JSON.stringify(mergePatch({}, patch)), '{"__proto__":{"polluted":true}}')
    equal('polluted' in {}, false)
  })

  test('a number that is kept as text is a scalar, no object', () => {
    const number = verbatimNumber('1.50')
    equal(mergePatch({ a: { b: 1 } }, { a: number }), { a: number })
    equal(mergePatch({ a: number }, { a: { b: 1 } }), { a: { b: 1 } })
  })
})
