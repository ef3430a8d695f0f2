/** Pairs and percent-encoding: decoded once and strictly; an error names the position that cannot be decoded. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { filter, parse, part, refusesAs, same } from './query.ts'

suite('the query string', (test) => {
  test('may be empty', () => {
    equal(parse(''), {
      raw: '',
      where: [],
      joins: [],
      groupBy: [],
      aggregates: [],
      order: [],
      distinctOn: [],
      relationOptions: [],
      relationWrites: [],
      single: {},
      additional: [],
    })
  })

  test('is split at raw ampersands, and empty pairs are ignored', () => {
    equal(part('&&a__eq=1&&b__eq=2%263&', 'where'), [
      filter('a', 'eq', '1'),
      filter('b', 'eq', '2&3'),
    ])
  })

  test('is decoded once: a plus is a blank, %2B a plus, %252C stays %2C', () => {
    equal(part('a__eq=1+2%2B3%20%252C', 'where'), [filter('a', 'eq', '1 2+3 %2C')])
  })

  test('is UTF-8, raw or encoded', () => {
    equal(part('title__eq=%C3%A9%E2%82%AC%F0%9F%98%80', 'where'), [filter('title', 'eq', 'é€😀')])
    same('title__eq=é€😀', 'title__eq=%c3%a9%e2%82%ac%f0%9f%98%80')
  })

  test('names may be encoded too', () => {
    same('price__ge=30&page=2', 'pri%63e%5F%5Fge=30&p%61ge=2')
  })

  const malformed = {
    'a lone percent sign': ['100%', '%'],
    'one hexadecimal digit': ['%4', '%4'],
    'no hexadecimal digits': ['%zz', '%zz'],
    'a sign instead of a digit': ['%+1', '%+1'],
    'a continuation byte without a first byte': ['%80', '%80'],
    'a truncated character': ['%E2%82', '%E2%82'],
    'an interrupted character': ['%C3ab', '%C3ab'],
    'an overlong form': ['%C0%AF', '%C0%AF'],
    'an encoded surrogate': ['%ED%A0%80', '%ED%A0%80'],
    'a code point beyond Unicode': ['%F4%90%80%80', '%F4%90%80%80'],
    'Latin-1': ['caf%E9', '%E9'],
  }
  for (const [what, [value, quoted]] of Object.entries(malformed)) {
    test(`refuses ${what}`, () => {
      refusesAs(
        'malformed_encoding',
        `page=1&title__eq=${value}`,
        `"${quoted}" is not valid percent-encoded UTF-8. A literal % is written %25.`,
        `title__eq=${value}`,
      )
    })
  }

  test('refuses malformed encoding everywhere, also in a join that may be disabled', () => {
    for (const pair of ['join=%zz', '%zz=1', 'or[a__eq=%zz]', 'after=%zz', 'a__sum=%zz']) {
      refusesAs(
        'malformed_encoding',
        pair,
        '"%zz" is not valid percent-encoded UTF-8. A literal % is written %25.',
      )
    }
  })

  test('refuses NUL characters and lone surrogates', () => {
    const nul = 'The text contains a NUL character, which cannot be stored or compared.'
    refusesAs('forbidden_character', 'title__eq=a%00b', nul)
    refusesAs('forbidden_character', 'title__eq=a\0b', nul)
    refusesAs('forbidden_character', 'ti%00tle__eq=a', nul)
    const half = 'The text contains half of a surrogate pair, which cannot be stored or compared.'
    refusesAs('forbidden_character', 'title__eq=\ud83d', half)
    refusesAs('forbidden_character', 'title__eq=\ude00', half)
    refusesAs('forbidden_character', 'title__eq=\ud83d+\ude00', half)
  })
})
