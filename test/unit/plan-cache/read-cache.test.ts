/** The number of cached reads is limited, however many forms of queries are sent. */
import {
  type Authority,
  trackAuthority,
} from '../../../packages/core/src/query/cache/authority-bound.ts'
import type { PreparedRead } from '../../../packages/core/src/query/cache/prepared-read.ts'
import { createReadCache } from '../../../packages/core/src/query/cache/read-cache.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const authority = {
  reach: () => true,
  hooks: {},
  registry: {},
  runtime: { access: { policies: {} } },
} as unknown as Authority
const prepared = {} as PreparedRead

suite('the cache of prepared reads', (test) => {
  test('keeps as many of 100,000 forms of queries as its capacity', () => {
    const reads = createReadCache(500)
    const names = Array.from({ length: 100_000 }, (_, i) => `form ${i}`)
    for (const name of names) {
      equal(reads.shouldPrepare(name, authority), false)
      if (!reads.shouldPrepare(name, authority)) throw new Error(`${name} came a second time`)
      reads.set(name, authority, trackAuthority(authority).bind(prepared))
    }
    const kept = names.filter((name) => reads.get(name, authority) !== undefined)
    equal([kept.length, kept[0], kept.at(-1)], [500, 'form 99500', 'form 99999'])
  })

  test('forms that are used once evict nothing', () => {
    const reads = createReadCache(2)
    for (const name of ['a', 'b']) {
      reads.set(name, authority, trackAuthority(authority).bind(prepared))
    }
    for (let i = 0; i < 1000; i++) equal(reads.shouldPrepare(`once ${i}`, authority), false)
    equal(reads.get('a', authority), prepared)
    equal(reads.get('b', authority), prepared)
  })
})
