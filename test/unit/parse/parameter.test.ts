/** Parameters by name: single values, lists, the host's own, and unknown ones. */
import {
  listParameters,
  singleParameters,
} from '../../../packages/core/src/model/query-words/parameter-names.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { field, parse, part, refusal, refuses, refusesAs, withoutSpans } from './query.ts'

suite('a parameter with one value', (test) => {
  test('keeps its text', () => {
    for (const name of singleParameters) {
      equal(part(`${name}=a+%22b%22`, 'single'), { [name]: { text: 'a "b"' } })
    }
  })

  test('may have an empty value, or none at all', () => {
    equal(part('page=&count', 'single'), { page: { text: '' }, count: { text: '' } })
  })

  test('is refused when given twice', () => {
    for (const name of singleParameters) {
      refusesAs(
        'repeated_parameter',
        `${name}=1&a__eq=1&${name}=1`,
        `"${name}" may be given only once.`,
        `${name}=1`,
      )
    }
  })
})

suite('a list parameter', (test) => {
  test('fields names columns', () => {
    equal(part('fields=id,+author.name&fields=title', 'fields'), [
      field('id'),
      field('author.name'),
      field('title'),
    ])
    equal(parse('page=1').fields, undefined)
  })

  test('order_by names columns, a direction, and where NULLs go', () => {
    const order = (name: string, descending: boolean, nulls?: string) => ({
      field: field(name),
      descending,
      ...(nulls === undefined ? {} : { nulls }),
    })
    equal(part('order_by=a,-b,+c.d.nullsfirst,-e.nullslast&order_by=f', 'order'), [
      order('a', false),
      order('b', true),
      order('c.d', false, 'first'),
      order('e', true, 'last'),
      order('f', false),
    ])
    equal(part('orderby=-a', 'order'), [order('a', true)])
    equal(part('order_by=nullslast', 'order'), [order('nullslast', false)])
  })

  test('order_by is given in one spelling', () => {
    const reason = '"order_by" and "orderby" are the same parameter: use one of them.'
    refusesAs('conflicting_parameters', 'order_by=a&orderby=b', reason, 'orderby=b')
    refusesAs('conflicting_parameters', 'orderby=a&order_by=b', reason, 'order_by=b')
  })

  test('join keeps the tokens as written', () => {
    equal(part('join=+Order-Items,author.publisher+&join=a,,b..c', 'joins'), [
      { path: ['Order-Items'], text: 'Order-Items' },
      { path: ['author', 'publisher'], text: 'author.publisher' },
      { path: ['a'], text: 'a' },
      { path: [''], text: '' },
      { path: ['b', '', 'c'], text: 'b..c' },
    ])
  })

  test('join refuses nothing, because it may be disabled', () => {
    equal(part('join=&join&join=+', 'joins'), [])
    equal(part('join=or[x,"', 'joins'), [
      { path: ['or[x'], text: 'or[x' },
      { path: ['"'], text: '"' },
    ])
  })

  test('is split at commas however they are spelt', () => {
    for (const name of listParameters.filter((other) => other !== 'aggregate')) {
      const [encoded, raw] = [parse(`${name}=a%2Cb.c`), parse(`${name}=a,b.c`)]
      equal(withoutSpans(encoded), withoutSpans(raw))
    }
  })

  test('has no empty items', () => {
    for (const name of ['fields', 'order_by', 'orderby', 'aggregate']) {
      const reason = `"${name}" has an empty item: expected names separated by commas.`
      for (const raw of [name, `${name}=`, `${name}=+`, `${name}=,a__sum`]) refuses(raw, reason)
    }
    refuses(
      'page=1&fields=a,,b',
      '"fields" has an empty item: expected names separated by commas.',
      'fields=a,,b',
    )
    refuses('order_by=-', 'Expected a name in "order_by=-".')
    refuses('order_by=.nullslast', 'Expected a name in "order_by=.nullslast".')
  })

  test('holds names', () => {
    refuses(
      'fields=lower(id)',
      '"(" cannot stand in the name "lower(id)". Functions of related records are sum, count, avg, min, max.',
      'lower(id)',
    )
    refuses('order_by=a|b', '"|" cannot stand in the name "a|b".', 'a|b')
    refuses(
      'fields=a,.b',
      '".b" has an empty name: names are joined by single dots, such as author.name.',
      '.b',
    )
  })
})

suite("the host's own parameters", (test) => {
  const own = (raw: string, ...names: string[]) => withoutSpans(parse(raw, names).additional)

  test('pass through in order, repeated or not', () => {
    equal(own('utm=a+b&lang=de&utm=', 'utm', 'lang'), [
      { name: 'utm', value: { text: 'a b' } },
      { name: 'lang', value: { text: 'de' } },
      { name: 'utm', value: { text: '' } },
    ])
    equal(own('utm', 'utm'), [{ name: 'utm', value: { text: '' } }])
  })

  test('may have any name that is not part of the query language', () => {
    equal(
      own(
        'x%5By%5D=1&a.limit=2&utm__source=3&__proto__=4',
        'x[y]',
        'a.limit',
        'utm__source',
        '__proto__',
      ),
      [
        { name: 'x[y]', value: { text: '1' } },
        { name: 'a.limit', value: { text: '2' } },
        { name: 'utm__source', value: { text: '3' } },
        { name: '__proto__', value: { text: '4' } },
      ],
    )
  })

  test('never hide a parameter, a filter or an aggregate', () => {
    const raw = 'page=1&a__eq=1&b__sum=1'
    equal(withoutSpans(parse(raw, ['page', 'a__eq', 'b__sum'])), withoutSpans(parse(raw)))
  })

  test('are exact names', () => {
    equal(
      refusal('UTM=1', ['utm']).body.reason,
      'Unknown parameter "UTM". Did you mean "utm"? A filter is written "UTM__eq=1".',
    )
  })
})

suite('an unknown parameter', (test) => {
  const refused = (raw: string, reason: string) => refusesAs('unknown_parameter', raw, reason)

  test('is refused with the nearest one and with the form of a filter', () => {
    refused(
      'pages=2',
      'Unknown parameter "pages". Did you mean "page"? A filter is written "pages__eq=2".',
    )
    refused(
      'group_by=a',
      'Unknown parameter "group_by". Did you mean "groupby"? A filter is written "group_by__eq=a".',
    )
    refused(
      'Page=1',
      'Unknown parameter "Page". Did you mean "page"? A filter is written "Page__eq=1".',
    )
    refused('title=Emma', 'Unknown parameter "title". A filter is written "title__eq=Emma".')
    refused(
      'author.name=a%26b',
      'Unknown parameter "author.name". A filter is written "author.name__eq=a%26b".',
    )
    refused('title', 'Unknown parameter "title". A filter is written "title__eq=…".')
  })

  test('is refused with the form of a group where it is called like one', () => {
    refused(
      'or=(a.eq.1)',
      'Unknown parameter "or". A group is written "or[price__ge=30,title__like=Emma]".',
    )
    refused(
      'exists=books',
      'Unknown parameter "exists". A relation filter is written "exists(books.price__gt=20)".',
    )
  })

  test('may be one of the object prototype', () => {
    refused('toString=1', 'Unknown parameter "toString". A filter is written "toString__eq=1".')
    refuses('__proto__=1', 'Expected an operator after "__".')
  })

  test('has a name', () => {
    refuses('=1', 'Expected a parameter or a filter before "=".')
    refuses('=', 'Expected a parameter or a filter before "=".')
  })

  test('is quoted in part only when it is long', () => {
    const name = 'é'.repeat(150)
    equal(
      refusal(`${name}=1`).body.reason,
      `Unknown parameter "${'é'.repeat(100)}…". A filter is written "${'é'.repeat(100)}…__eq=1".`,
    )
    equal(
      refusal(`a${'😀'.repeat(80)}=1`).body.reason,
      `Unknown parameter "a${'😀'.repeat(49)}…". A filter is written "a${'😀'.repeat(49)}…__eq=1".`,
    )
  })
})
