/** LruMap evicts the least recently used entry. */
import { lruMap } from '../../packages/core/src/lib/lru-map.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('an LRU map', (test) => {
  const all = (map: ReturnType<typeof lruMap<number>>, keys: string) =>
    [...keys].filter((key) => map.get(key) !== undefined).join('')

  test('the least recently used entry is evicted first', () => {
    const map = lruMap<number>(3)
    for (const [i, key] of [...'abc'].entries()) map.set(key, i)
    equal(map.get('a'), 0)
    map.set('d', 3)
    equal(all(map, 'abcd'), 'acd')
    map.set('e', 4)
    equal(all(map, 'abcde'), 'cde')
  })

  test('setting an existing key counts as use, and evicts nothing', () => {
    const map = lruMap<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    equal([map.get('a'), map.get('b'), map.get('c')], [3, undefined, 4])
  })

  test('a deleted entry frees its place', () => {
    const map = lruMap<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.delete('a')
    map.delete('a')
    map.set('c', 3)
    equal(all(map, 'abc'), 'bc')
  })

  test('behaves like a plain list over random steps', () => {
    const map = lruMap<number>(5)
    let list: [string, number][] = []
    let seed = 7
    const next = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return Math.floor((seed / 2147483648) * below)
    }
    for (let step = 0; step < 3000; step++) {
      const key = String(next(9))
      const at = list.findIndex(([name]) => name === key)
      const found = list[at]
      if (next(3) === 0) {
        list = [...list.filter(([name]) => name !== key), [key, step] as [string, number]].slice(-5)
        map.set(key, step)
      } else if (next(8) === 0) {
        list = list.filter(([name]) => name !== key)
        map.delete(key)
      } else {
        if (found) list = [...list.filter(([name]) => name !== key), found]
        equal(map.get(key), found?.[1])
      }
    }
  })
})
