/** English plurals, and the form in which names are compared. */
import {
  normalizeToken,
  pluralIn,
  pluralSnake,
} from '../../../packages/core/src/lib/naming/plural.ts'
import { equal, notEqual } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const plurals: readonly (readonly [name: string, plural: string])[] = [
  ['Author', 'authors'],
  ['Category', 'categories'],
  ['Box', 'boxes'],
  ['Person', 'people'],
  ['SalesPerson', 'sales_people'],
  ['LeftFoot', 'left_feet'],
  ['Child', 'children'],
  ['News', 'news'],
  ['Series', 'series'],
  ['Status', 'statuses'],
  ['Address', 'addresses'],
  ['Analysis', 'analyses'],
  ['Data', 'data'],
  ['Books', 'books'],
  ['OrderItem', 'order_items'],
  ['OrdersItem', 'orders_items'],
  ['Address2', 'address2s'],
]

suite('plurals', (test) => {
  for (const [name, plural] of plurals) {
    test(`${name} becomes ${plural}`, () => equal(pluralSnake(name), plural))
  }

  test('of plurals do not change', () => {
    for (const [, plural] of plurals) equal(pluralSnake(plural), plural)
  })

  test('are written in the requested case', () => {
    equal(pluralIn('OrderItem', 'kebab'), 'order-items')
    equal(pluralIn('OrderItem', 'snake'), 'order_items')
    equal(pluralIn('OrderItem', 'camel'), 'orderItems')
    equal(pluralIn('OrderItem', 'pascal'), 'OrderItems')
  })
})

suite('tokens', (test) => {
  const same: readonly (readonly string[])[] = [
    ['author', 'authors', 'Author', 'AUTHORS', ' authors ', '\tAuthor\n'],
    ['order-item', 'order_items', 'Order-Items', 'ORDER_ITEM'],
    ['category', 'categories', 'Categories'],
    ['person', 'people', 'People'],
    ['sales-person', 'sales_people'],
    ['status', 'statuses'],
    ['child', 'children'],
    ['news', 'News'],
    ['analysis', 'analyses'],
  ]
  for (const names of same) {
    test(`${names.map((name) => JSON.stringify(name)).join(', ')} are one name`, () => {
      equal([...new Set(names.map(normalizeToken))].length, 1)
    })
  }

  const different: readonly (readonly [string, string])[] = [
    ['author', 'editor'],
    ['order_item', 'orderitem'],
    ['order_item', 'order item'],
    ['author', 'author.books'],
    ['', 's'],
  ]
  for (const [a, b] of different) {
    test(`"${a}" and "${b}" are two names`, () => notEqual(normalizeToken(a), normalizeToken(b)))
  }

  test('of any text are found without an error', () => {
    for (const text of [
      '',
      '_',
      '__',
      '-',
      '__proto__',
      'constructor',
      'İ',
      '😀',
      'a'.repeat(9999),
    ]) {
      equal(typeof normalizeToken(text), 'string')
    }
  })
})
