/** A name that the core or http-node exports means one thing: only one of their files exports it. */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const declared = /^export (?:async )?(?:function|const|interface|type|class) (\w+)/gm

/** The types of the client are named for its users, who see none of the others. Guards have the same name in every adapter. */
const files = [
  ...filesBelow('packages/core/src', /\.ts$/).filter((file) => !file.includes('/src/client/')),
  ...filesBelow('packages/http-node/src', /\.ts$/),
]

suite('exported names', (test) => {
  test('are each declared in one file', () => {
    const places = new Map<string, Set<string>>()
    for (const file of files) {
      for (const [, name = ''] of readSource(file).matchAll(declared)) {
        places.set(name, (places.get(name) ?? new Set()).add(file))
      }
    }
    equal(places.size > 2000, true)
    equal(
      [...places]
        .filter(([, of]) => of.size > 1)
        .map(([name, of]) => `${name}: ${[...of].join(', ')}`),
      [],
    )
  })
})
