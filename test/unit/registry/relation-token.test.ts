/** Which relations a name in a query matches (specification: Joins 2 and 3), and which one a path segment names. */

import {
  relationBySegment,
  relationsMatching,
} from '../../../packages/core/src/model/registry/relations/relation-token.ts'
import { belongsTo, hasMany } from '../../../packages/core/src/model/relation.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model, resourceOf } from './start-up.ts'

const integer = { type: 'integer' }
const columns = {
  writer_id: integer,
  best_id: integer,
  editor_id: integer,
  item_id: integer,
  order_id: integer,
}
const Book = model('Book', {
  columns,
  relations: {
    writer: belongsTo('Author', 'writer_id'),
    bestSeller: belongsTo('Book', 'best_id'),
    editor: belongsTo('Person', 'editor_id'),
    reader: belongsTo('Person', 'item_id'),
    orderItems: hasMany('OrderItem', 'book_id'),
    // A relation whose key is the endpoint name of another's target.
    authors: belongsTo('Order', 'order_id'),
  },
})
const models = [
  Book,
  model('Author'),
  model('Person'),
  model('Order'),
  model('OrderItem', { columns: { book_id: integer } }),
]
const books = resourceOf('Book', models)

suite('a relation token', (test) => {
  const tokens: readonly (readonly [token: string, ...relations: string[]])[] = [
    // the exact key wins alone
    ['writer', 'writer'],
    ['authors', 'authors'],
    [' Authors', 'authors'],
    ['orderItems', 'orderItems'],
    // the key in any case, singular or plural
    ['Writers', 'writer'],
    [' WRITER ', 'writer'],
    ['best-seller', 'bestSeller'],
    ['best_sellers', 'bestSeller'],
    ['Best-Sellers', 'bestSeller'],
    ['bestseller', 'bestSeller'],
    // the pluralised endpoint name of the target, in singular too
    ['order-items', 'orderItems'],
    ['order_item', 'orderItems'],
    ['OrderItems', 'orderItems'],
    ['orders', 'authors'],
    ['books', 'bestSeller'],
    // what fits several
    ['person', 'editor', 'reader'],
    ['people', 'editor', 'reader'],
    ['author', 'writer', 'authors'],
    // what fits none
    ['publisher'],
    ['writer_id'],
    [''],
    ['__proto__'],
    ['constructor'],
    ['best seller'],
  ]
  for (const [token, ...relations] of tokens) {
    test(`"${token}" fits ${relations.join(' and ') || 'none'}`, () => {
      equal(
        relationsMatching(books, token).map(({ name }) => name),
        relations,
      )
    })
  }

  test('that is the exact key of a relation names it, even if another matches apart from case', () => {
    const relations = {
      bestSeller: belongsTo('Author', 'writer_id'),
      bestseller: belongsTo('Person', 'editor_id'),
    }
    const others = [model('Author'), model('Person')]
    const book = resourceOf('Book', [model('Book', { columns, relations }), ...others])
    for (const [token, ...found] of [
      ['bestSeller', 'bestSeller'],
      ['bestseller', 'bestseller'],
      ['BESTSELLER', 'bestSeller', 'bestseller'],
      ['best-seller', 'bestSeller'],
    ] as const) {
      equal(
        relationsMatching(book, token).map(({ name }) => name),
        found,
        token,
      )
    }
  })

  test('does not find a relation to an unpublished model', () => {
    const Secret = model('Secret', { columns: { book_id: integer }, meta: undefined })
    const Tome = model('Tome', { relations: { secrets: hasMany('Secret', 'book_id') } })
    const tomes = resourceOf('Tome', [Secret, Tome])
    equal(relationsMatching(tomes, 'secrets'), [])
    equal(relationsMatching(tomes, 'secret'), [])
    equal(relationBySegment(tomes, 'secrets'), undefined)
  })
})

suite('a relation segment', (test) => {
  const segments: readonly (readonly [segment: string, relation?: string])[] = [
    ['writer', 'writer'],
    ['best-seller', 'bestSeller'],
    ['order-items', 'orderItems'],
    ['orders', 'authors'],
    ['books', 'bestSeller'],
    // a key goes before another's target
    ['authors', 'authors'],
    // exact and case-sensitive, unlike tokens
    ['bestSeller'],
    ['Writer'],
    ['writers'],
    ['order_items'],
    // fits two
    ['people'],
    ['__proto__'],
    [''],
  ]
  for (const [segment, relation] of segments) {
    test(`"${segment}" names ${relation ?? 'none'}`, () => {
      equal(relationBySegment(books, segment)?.name, relation)
    })
  }
})
