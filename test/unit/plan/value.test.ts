/** Text of the client as a value of a column: what the column cannot store exactly is refused, never rounded. */
import { convertText } from '../../../packages/core/src/query/plan/conditions/value.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('a number as text', (test) => {
  const value = (type: 'integer' | 'bigint' | 'decimal', text: string): unknown => {
    const conversion = convertText({ type }, text)
    return 'value' in conversion ? conversion.value : 'refused'
  }

  test('is an integer within the safe range of JavaScript', () => {
    equal(value('integer', '9007199254740991'), 9007199254740991)
    equal(value('integer', '-9007199254740991'), -9007199254740991)
    equal(value('integer', '9007199254740992'), 'refused')
    equal(value('integer', '-9007199254740992'), 'refused')
  })

  test('is a bigint of 64 bits', () => {
    equal(value('bigint', '9223372036854775807'), 9223372036854775807n)
    equal(value('bigint', '-9223372036854775808'), -9223372036854775808n)
    equal(value('bigint', '9223372036854775808'), 'refused')
    equal(value('bigint', '-9223372036854775809'), 'refused')
  })

  test('is a decimal in canonical digits, and refused unread if it is too long', () => {
    equal(value('decimal', '007.500'), '7.5')
    equal(value('decimal', '-0.0'), '0')
    equal(value('decimal', `${'0'.repeat(190)}7`), '7')
    equal(value('decimal', `${'0'.repeat(300)}7`), 'refused')
    ok('expected' in convertText({ type: 'decimal', scale: 2 }, '1.234'))
  })
})
