/** Aggregates and `groupby`: functions, labels, parts of dates. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { field, part, refuses, refusesAs, same } from './query.ts'

function aggregate(name: string, fn: string, label?: string): unknown {
  return {
    kind: 'aggregate',
    function: fn,
    field: field(name),
    ...(label === undefined ? {} : { label: { text: label } }),
  }
}

function key(kind: string, name: string, text: string, label?: string): unknown {
  return {
    kind,
    field: field(name),
    text,
    ...(label === undefined ? {} : { label: { text: label } }),
  }
}

const functions = 'Functions are sum, count, avg, min, max.'

suite('an aggregate', (test) => {
  test('is a pair of its own, with or without a label; its value is ignored', () => {
    equal(part('price__sum=1&price|total__avg=&author.price%7Cmost__max=x=y', 'aggregates'), [
      aggregate('price', 'sum'),
      aggregate('price', 'avg', 'total'),
      aggregate('author.price', 'max', 'most'),
    ])
  })

  test('is an item of aggregate=', () => {
    equal(part('aggregate=price|revenue__sum,+id__count&aggregate=a__min=1', 'aggregates'), [
      aggregate('price', 'sum', 'revenue'),
      aggregate('id', 'count'),
      aggregate('a', 'min'),
    ])
  })

  test('is an item of groupby=', () => {
    const raw = 'groupby=customer.id,total|revenue__sum=1,id__count'
    equal(part(raw, 'aggregates'), [aggregate('total', 'sum', 'revenue'), aggregate('id', 'count')])
    equal(part(raw, 'groupBy'), [key('column', 'customer.id', 'customer.id')])
  })

  test('may have a label with underscores', () => {
    equal(part('a|b__c__sum=1&a|b___sum=1&a|____sum=1', 'aggregates'), [
      aggregate('a', 'sum', 'b__c'),
      aggregate('a', 'sum', 'b_'),
      aggregate('a', 'sum', '__'),
    ])
  })

  test('has a label that can be a key of JSON and an alias of SQL', () => {
    const reason = (label: string) =>
      `"${label}" is not a label: expected a letter or "_" and then at most 62 letters, digits or "_".`
    const long = 'a'.repeat(63)
    equal(part(`x|${long}__sum=1`, 'aggregates'), [aggregate('x', 'sum', long)])
    refuses(`x|${long}a__sum=1`, reason(`${long}a`), `${long}a`)
    refuses('x|1st__sum=1', reason('1st'), '1st')
    refuses('x|a-b__sum=1', reason('a-b'), 'a-b')
    refuses('x|a+b__sum=1', reason('a b'), 'a+b')
    refuses('x|a|b__sum=1', reason('a|b'), 'a|b')
    refuses('x|é__sum=1', reason('é'), 'é')
    refuses('x|a%22b__sum=1', reason('a"b'), 'a%22b')
    refuses('x|a%0A__sum=1', reason('a\n'), 'a%0A')
    refuses('x|__sum=1', reason(''))
  })

  test('has no label that means something to JavaScript', () => {
    for (const label of ['__proto__', 'constructor', 'prototype']) {
      refuses(`x|${label}__sum=1`, `"${label}" cannot be used as a label.`, label)
      refuses(`groupby=x|${label}`, `"${label}" cannot be used as a label.`, label)
    }
  })

  test('has a function, which is not an operator', () => {
    const shape = (text: string) =>
      `"${text}" is not an aggregate: expected column__function or column|label__function, such as price|total__sum.`
    refuses('price|total=1', shape('price|total'), 'price|total')
    refuses('aggregate=price', shape('price'), 'price')
    refuses('price__sum|total=1', shape('price__sum|total'), 'price__sum|total')
    const operator =
      'is a filter; here an aggregate is expected, such as price|total__sum. A label belongs to an aggregate only.'
    refuses('price|total__gt=1', `"price|total__gt" ${operator}`, 'price|total__gt')
    refuses('aggregate=price__eq', `"price__eq" ${operator}`, 'price__eq')
  })

  test('is refused with the nearest function', () => {
    const unknown = (name: string, near: string) =>
      `Unknown function "${name}". Did you mean "${near}"? ${functions}`
    refusesAs('unknown_function', 'a|b__summ=1', unknown('summ', 'sum'), 'a|b__summ')
    refusesAs('unknown_function', 'aggregate=a__COUNT', unknown('COUNT', 'count'), 'a__COUNT')
    refusesAs(
      'unknown_function',
      'aggregate=a__median',
      `Unknown function "median". ${functions}`,
      'a__median',
    )
    refusesAs('unknown_function', 'aggregate=a__', `Unknown function "". ${functions}`, 'a__')
  })

  test('needs a column and, as a pair of its own, an equals sign', () => {
    refuses('__sum=1', 'Expected a name in "__sum=1".')
    refuses('|a__sum=1', 'Expected a name in "|a__sum=1".')
    refuses('price__sum', 'Expected "=" and a value after "price__sum".')
  })

  test('has no brackets in its column', () => {
    refuses(
      'aggregate=sum(price)__sum',
      '"(" cannot stand in the name "sum(price)". No aggregate of related records can stand here.',
      'sum(price)',
    )
  })
})

suite('groupby', (test) => {
  test('names columns, with or without a label', () => {
    equal(part('groupby=country,+customer.city|town&groupby=a__b', 'groupBy'), [
      key('column', 'country', 'country'),
      key('column', 'customer.city', 'customer.city', 'town'),
      key('column', 'a__b', 'a__b'),
    ])
  })

  test('names parts of dates', () => {
    equal(part('groupby=year(a),month(b.c),day(d)|on', 'groupBy'), [
      key('year', 'a', 'year(a)'),
      key('month', 'b.c', 'month(b.c)'),
      key('day', 'd', 'day(d)', 'on'),
    ])
  })

  test('takes a column called year for a column', () => {
    equal(part('groupby=year', 'groupBy'), [key('column', 'year', 'year')])
  })

  test('is read in every spelling', () => {
    const raw = 'groupby=customer.id,total|revenue__sum=1,year(a)|y'
    same(raw, 'groupby=customer.id%2Ctotal%7Crevenue__sum%3D1%2Cyear%28a%29%7Cy')
    same(raw, 'groupby=customer.id%2Ctotal%7Crevenue__sum%3D1%2Cyear(a)%7Cy')
  })

  test('is refused with the nearest function', () => {
    refusesAs(
      'unknown_function',
      'groupby=yaer(a)',
      'Unknown function "yaer". Did you mean "year"? Groups can use year, month, day.',
      'yaer(a)',
    )
    refusesAs(
      'unknown_function',
      'groupby=quarter(a)|q',
      'Unknown function "quarter". Groups can use year, month, day.',
      'quarter(a)',
    )
    refusesAs(
      'unknown_function',
      'groupby=total|revenue__smu',
      `Unknown function "smu". Did you mean "sum"? ${functions}`,
      'revenue__smu',
    )
  })

  test('is refused where it is not complete', () => {
    const open = (text: string) =>
      `"${text}" is not complete: expected one column in parentheses, such as year(born_on).`
    refuses('groupby=year(a', open('year(a'), 'year(a')
    refuses('groupby=year(a)b', open('year(a)b'), 'year(a)b')
    refuses('groupby=year(a,b)', open('year(a'), 'year(a')
    refuses('groupby=year()', 'Expected a name in "groupby=year()".')
    refuses(
      'groupby=year(month(a))',
      '"(" cannot stand in the name "month(a)". Functions of related records are sum, count, avg, min, max.',
      'month(a)',
    )
    refuses('groupby=a)', '")" cannot stand in the name "a)".', 'a)')
  })

  test('holds no filters', () => {
    const reason = (text: string) =>
      `"${text}" cannot be grouped by: a filter is a parameter of its own.`
    refuses('groupby=a__eq=1', reason('a__eq=1'), 'a__eq=1')
    refuses('groupby=a__eq', reason('a__eq'), 'a__eq')
    refuses('groupby=a=1', reason('a=1'), 'a=1')
  })

  test('has no empty items', () => {
    for (const raw of ['groupby=', 'groupby', 'groupby=a,', 'groupby=,', 'groupby=a,+,b']) {
      refuses(raw, '"groupby" has an empty item: expected names separated by commas.')
    }
  })
})
