/** Values: text, quoted text and lists, by themselves and inside groups. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { filter, list, part, quoted, refuses, scalar } from './query.ts'

function textOf(text: string): unknown {
  return first(part(`x__eq=${text}`, 'where')).value
}

function listOf(text: string): unknown {
  return first(part(`x__in=${text}`, 'where')).value
}

function inGroup(text: string): unknown {
  return first(first(part(`or[x__eq=${text},y__eq=1]`, 'where')).items).value
}

function first(nodes: unknown): { value?: unknown; items?: unknown } {
  return (nodes as readonly { value?: unknown }[])[0] ?? {}
}

suite('plain text', (test) => {
  test('runs to the end of the pair, blanks and structural characters included', () => {
    for (const text of [
      '',
      'a',
      '(a)',
      '(',
      ')',
      'a[1]',
      ']',
      'a,b',
      'a=b',
      'a|b',
      'a"b',
      'a\\b',
    ]) {
      equal(textOf(text), scalar(text))
    }
    equal(textOf('+a+'), scalar(' a '))
    equal(textOf('+"a"'), scalar(' "a"'))
  })

  test('inside a group runs to the next comma or closer', () => {
    for (const text of ['', 'a', '=', 'a|b', 'a"b', 'a\\b']) {
      equal(inGroup(text), scalar(text))
    }
    equal(inGroup('+a+'), scalar(' a '))
    equal(inGroup('a%2Cb'), scalar('a,b'))
  })

  test('inside a group may hold balanced brackets, and commas within them', () => {
    for (const text of ['(a)', 'f(a,b)', 'a[1]', '[a,(b),c](d)', '()']) {
      equal(inGroup(text), scalar(text))
    }
    equal(inGroup('f%28a,b%29'), scalar('f(a,b)'))
  })

  test('inside a group is refused with unbalanced brackets', () => {
    const hint = 'Text with brackets is written in quotes, such as "a (b)".'
    refuses('or[x__eq=:)]', `Unexpected ")" inside "or[": expected "," or "]". ${hint}`)
    refuses('or[x__eq=(]', `"(" is not closed inside "(". ${hint}`, '(]')
    refuses('or[x__eq=(a]', `"(" is not closed inside "(a". ${hint}`, '(a]')
    refuses('or[x__eq=[a)]]', `"[" is not closed inside "[a". ${hint}`, '[a)]]')
    refuses('or[x__eq=f(a', `"(" is not closed inside "f(a". ${hint}`, 'f(a')
    refuses('or[x__eq=%5Ba)]', `"[" is not closed inside "[a". ${hint}`, '%5Ba)]')
  })
})

suite('quoted text', (test) => {
  test('is taken literally', () => {
    for (const text of ['', 'a', ' a ', '(a', 'a]', 'a,b', 'a=b', '(1,2)']) {
      equal(textOf(`"${text}"`), quoted(text))
      equal(inGroup(`"${text}"`), quoted(text))
      equal(listOf(`("${text}")`), list(quoted(text)))
    }
  })

  test('escapes quotes and backslashes', () => {
    equal(textOf('"a,b\\"c\\\\"'), quoted('a,b"c\\'))
    equal(inGroup('"\\"\\""'), quoted('""'))
  })

  test('may have its quotes and backslashes encoded', () => {
    equal(textOf('%22a%5C%22b%5C%5C%22'), quoted('a"b\\'))
    equal(inGroup('%22a,b%22'), quoted('a,b'))
  })

  test('inside groups and lists may have blanks around it', () => {
    equal(inGroup('"a"+'), quoted('a'))
    equal(listOf('(+"a"+,+b+)'), list(quoted('a'), 'b'))
    equal(textOf('"a"+'), quoted('a'))
  })

  test('must be closed', () => {
    const open = (text: string) =>
      `The quoted text ${text} has no closing quote. An "&" inside it is written %26, a quote \\".`
    refuses('x__eq="a', open('"a'), '"a')
    refuses('x__eq="', open('"'), '"')
    refuses('x__eq="a\\"', open('"a\\"'), '"a\\"')
    refuses('or[x__eq="a,y__eq=1]', open('"a,y__eq=1]'), '"a,y__eq=1]')
    refuses('x__in=("a)', open('"a)'), '"a)')
    refuses('x__eq="a&b"', open('"a'), '"a')
  })

  test('has nothing after it', () => {
    refuses('x__eq="a"b', 'Unexpected "b" after the closing quote.')
    const hint = 'Text with brackets is written in quotes, such as "a (b)".'
    refuses('or[x__eq="a"b]', `Unexpected "b" inside "or[": expected "," or "]". ${hint}`)
    refuses('x__in=("a"b)', `Unexpected "b" inside "(": expected "," or ")". ${hint}`, '("a"b)')
  })

  test('has no other escapes', () => {
    const reason =
      'In quoted text a backslash stands before a quote or a backslash only: write \\\\ for one.'
    refuses('x__eq="a\\n"', reason, '"a\\n"')
    refuses('x__eq="a\\', reason, '"a\\')
  })
})

suite('a list', (test) => {
  test('holds strings between commas', () => {
    equal(listOf('(1,2,3)'), list('1', '2', '3'))
    equal(listOf('(a)'), list('a'))
    equal(listOf('()'), list())
    equal(listOf('(+)'), list())
    equal(listOf('("")'), list(quoted('')))
  })

  test('trims blanks around unquoted items', () => {
    equal(listOf('(+1,+two+words+,3+)'), list('1', 'two words', '3'))
    equal(listOf('+(1)+'), list('1'))
    equal(listOf('(%201%20)'), list('1'))
  })

  test('keeps encoded commas in its items when its opener is raw', () => {
    equal(listOf('(a%2Cb,c)'), list('a,b', 'c'))
  })

  test('with an encoded opener is decoded as a whole', () => {
    equal(listOf('%281%2C2,3%29'), list('1', '2', '3'))
    equal(listOf('%28%22a%2Cb%22%2Cc%29'), list(quoted('a,b'), 'c'))
  })

  test('may hold balanced brackets in an item', () => {
    equal(listOf('(f(a,b),c[0])'), list('f(a,b)', 'c[0]'))
  })

  test('is what in, nin and between expect', () => {
    const expected = (operator: string, found: string) =>
      `"${operator}" expected a list in parentheses, such as (1,2,3), instead of "${found}".`
    refuses('x__in=1,2', expected('in', '1,2'), '1,2')
    refuses('x__nin="a"', expected('nin', '"a"'), '"a"')
    refuses('x__between=1', expected('between', '1'), '1')
    refuses('x__in=', expected('in', ''))
    refuses('or[x__in=1,y__eq=2]', expected('in', '1,y__eq=2]'), '1,y__eq=2]')
  })

  test('inside a group ends at its own closer', () => {
    equal(part('or[x__in=(1,2),y__eq=3]', 'where'), [
      { kind: 'or', items: [filter('x', 'in', list('1', '2')), filter('y', 'eq', '3')] },
    ])
  })

  test('has no empty items', () => {
    const reason = 'The list has an empty item: an empty text is written "".'
    refuses('x__in=(1,,2)', reason, '(1,,2)')
    refuses('x__in=(,1)', reason, '(,1)')
    refuses('x__in=(1,)', reason, '(1,)')
    refuses('x__in=(+,+)', reason, '(+,+)')
  })

  test('must be closed and end its pair', () => {
    const open = '"(" is not closed: expected ")". An "&" inside it is written %26.'
    refuses('x__in=(1,2', open, '(1,2')
    refuses('x__in=(', open, '(')
    refuses('x__in=(1,', open, '(1,')
    refuses('x__in=(1,2)3', 'Unexpected "3" after the list.')
    const hint = 'Text with brackets is written in quotes, such as "a (b)".'
    refuses('or[x__in=(1,2]', `Unexpected "]" inside "(": expected "," or ")". ${hint}`, '(1,2]')
  })
})
