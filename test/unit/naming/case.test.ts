/** Names in the four letter cases. */
import { type LetterCase, toCase } from '../../../packages/core/src/lib/naming/case.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const cases: readonly (readonly [name: string, ...written: string[]])[] = [
  // name, kebab, snake, camel, pascal
  ['Book', 'book', 'book', 'book', 'Book'],
  ['OrderItem', 'order-item', 'order_item', 'orderItem', 'OrderItem'],
  ['order_item', 'order-item', 'order_item', 'orderItem', 'OrderItem'],
  ['orderItem', 'order-item', 'order_item', 'orderItem', 'OrderItem'],
  ['APIKey', 'api-key', 'api_key', 'apiKey', 'ApiKey'],
  ['OrderAPI', 'order-api', 'order_api', 'orderApi', 'OrderApi'],
  ['Address2', 'address2', 'address2', 'address2', 'Address2'],
  ['ITEM', 'item', 'item', 'item', 'Item'],
  ['_private', 'private', 'private', 'private', 'Private'],
  ['__', '__', '__', '__', '__'],
]

suite('letter cases', (test) => {
  for (const [name, ...written] of cases) {
    test(`of ${name}`, () => {
      const order: readonly LetterCase[] = ['kebab', 'snake', 'camel', 'pascal']
      equal(
        order.map((letterCase) => toCase(name, letterCase)),
        written,
      )
    })
  }

  test('of a name already in the case do not change it', () => {
    for (const [, kebab = '', snake = '', camel = '', pascal = ''] of cases) {
      equal(toCase(kebab, 'kebab'), kebab)
      equal(toCase(snake, 'snake'), snake)
      equal(toCase(camel, 'camel'), camel)
      equal(toCase(pascal, 'pascal'), pascal)
    }
  })
})
