/** Random queries on the world of the leak matrix, mostly well-formed, so that they reach the database. */
import fc from 'fast-check'
import { textOperators } from '../support/text-operators.ts'

const text = fc.constantFrom('Arrows', 'Bread', 'Ann', 'a', 'o', 'Foreign', 'v-1', 'tag', '', 'ß')
const number = fc.constantFrom('1', '2', '3', '7', '10', '20.00', '900', '0', '-1')

interface Fields {
  readonly text: readonly string[]
  readonly number: readonly string[]
}

const columns = {
  books: { text: ['title'], number: ['id', 'price', 'author_id'] },
  authors: { text: ['name'], number: ['id', 'owner_id'] },
  tags: { text: ['name'], number: ['id'] },
  reviews: { text: ['note'], number: ['id', 'stars'] },
  taggings: { text: [], number: ['id', 'book_id', 'tag_id'] },
  profiles: { text: ['motto'], number: ['id'] },
} as const

type Resource = Exclude<keyof typeof columns, 'profiles'>

/** The relations that can be joined, and their targets, including secret resources. */
const relationsOf: Readonly<
  Record<Resource, Readonly<Record<string, keyof typeof columns | null>>>
> = {
  books: {
    author: 'authors',
    tags: 'tags',
    reviews: 'reviews',
    'author.profile': 'profiles',
    'tags.books': 'books',
    'author.books': 'books',
    audits: null,
  },
  authors: {
    books: 'books',
    profile: 'profiles',
    'books.tags': 'tags',
    'books.reviews': 'reviews',
    'books.author': 'authors',
    payrolls: null,
  },
  tags: { books: 'books', 'books.author': 'authors', 'books.tags': 'tags' },
  reviews: { book: 'books', 'book.author': 'authors', 'book.reviews': 'reviews' },
  taggings: { book: 'books', tag: 'tags', 'book.author': 'authors', 'tag.books': 'books' },
}

const pathsOf = (resource: Resource): readonly string[] => Object.keys(relationsOf[resource])
const keysOf = (resource: Resource): readonly string[] =>
  pathsOf(resource).filter((path) => !path.includes('.'))

/** Names that must be refused, whatever is joined. */
const odd = ['vault_code', 'author.vault_code', 'audits.note', 'payrolls.amount', 'nothing']

/** The fields of the base resource and of joined ones. */
function fieldsOf(resource: Resource, joins: readonly string[]): Fields {
  const all = [
    ['', columns[resource]] as const,
    ...joins.map((path) => {
      const target = relationsOf[resource][path]
      return [`${path}.`, target ? columns[target] : { text: [], number: [] }] as const
    }),
  ]
  return {
    text: all.flatMap(([prefix, { text: names }]) => names.map((name) => `${prefix}${name}`)),
    number: all.flatMap(([prefix, { number: names }]) => names.map((name) => `${prefix}${name}`)),
  }
}

/** One of the names; rarely one that must be refused. */
const one = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...(names.length === 0 ? ['id'] : names)) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )

const list = (items: readonly string[]): string => items.join(',')

/** A condition on one of the fields. */
function condition(fields: Fields): fc.Arbitrary<string> {
  const onText = fc.tuple(
    one(fields.text),
    fc.constantFrom('eq', 'ne', 'lt', 'ge', ...textOperators),
    text,
  )
  const onNumber = fc.tuple(
    one(fields.number),
    fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
    number,
  )
  const field = one([...fields.text, ...fields.number])
  const plain = fc.oneof(onText, onNumber).map(([name, op, value]) => `${name}__${op}=${value}`)
  const isNull = fc.tuple(field, fc.boolean()).map(([name, yes]) => `${name}__isnull=${yes}`)
  const inList = fc
    .tuple(one(fields.number), fc.boolean(), fc.array(number, { maxLength: 3 }))
    .map(([name, negated, values]) => `${name}__${negated ? 'nin' : 'in'}=(${list(values)})`)
  const plains = fields.text.length === 0 ? onNumber.map(([n, op, v]) => `${n}__${op}=${v}`) : plain
  return fc.oneof({ weight: 4, arbitrary: plains }, isNull, inList)
}

/** An aggregate of related rows, of a path that may lead to one, too. */
function aggregateOf(resource: Resource): fc.Arbitrary<string> {
  const inside = fc.constantFrom('', '[id__gt=1]', '[id__in=(1,2,11,100)]')
  return fc
    .tuple(
      fc.constantFrom('count', 'count', 'sum', 'avg', 'min', 'max'),
      fc.constantFrom(...pathsOf(resource)),
      inside,
    )
    .map(([fn, path, cond]) => `${fn}(${path}${cond}${fn === 'count' ? '' : '.id'})`)
}

/** `exists(…)`, `missing(…)` and a condition on an aggregate. */
const related = (resource: Resource): fc.Arbitrary<string> =>
  fc.oneof(
    relationFilter(resource),
    fc
      .tuple(aggregateOf(resource), fc.constantFrom('ge', 'eq', 'lt', 'ne'), number)
      .map(([aggregate, op, value]) => `${aggregate}__${op}=${value}`),
  )

/** `exists(…)` and `missing(…)`, with and without a condition at the end of the path. */
function relationFilter(resource: Resource): fc.Arbitrary<string> {
  const tail = fc.constantFrom('', '.id__gt=1', '.id__in=(1,2,11,100)')
  return fc
    .tuple(fc.constantFrom('exists', 'missing'), fc.constantFrom(...pathsOf(resource)), tail)
    .map(([word, path, end]) => `${word}(${path}${end})`)
}

function group(resource: Resource, fields: Fields): fc.Arbitrary<string> {
  const items = fc.array(fc.oneof(condition(fields), related(resource)), {
    minLength: 1,
    maxLength: 3,
  })
  return fc
    .tuple(fc.constantFrom('or', 'and', 'not'), items)
    .map(([word, parts]) => `${word}[${list(parts)}]`)
}

function order(fields: Fields): fc.Arbitrary<string> {
  const term = fc
    .tuple(
      fc.constantFrom('', '-'),
      one([...fields.text, ...fields.number]),
      fc.constantFrom('', '', '.nullsfirst', '.nullslast'),
    )
    .map((parts) => parts.join(''))
  return fc.array(term, { minLength: 1, maxLength: 2 }).map((terms) => `order_by=${list(terms)}`)
}

/** The form of the response: records in some dump mode, a projection, or groups. */
function shape(resource: Resource, fields: Fields): fc.Arbitrary<readonly string[]> {
  const names = fc.uniqueArray(one([...fields.text, ...fields.number]), {
    minLength: 1,
    maxLength: 3,
  })
  const embedded = fc.tuple(
    fc.constantFrom('url', 'json', 'hybrid', 'dynamic').map((mode) => `dump=${mode}`),
    fc.option(
      fc
        .tuple(
          fc.constantFrom(...keysOf(resource)),
          fc.constantFrom('.fields=id', '[id__gt=1]', '[id__in=(1,2,100)]', '.limit=1'),
        )
        .map((parts) => parts.join('')),
      { nil: '' },
    ),
  )
  const projected = names.map((chosen) => [`fields=${list(chosen)}`])
  const counted = fc
    .tuple(
      fc.constantFrom('*', 'id', '-id'),
      aggregateOf(resource),
      fc.constantFrom('', 'order_by=-n'),
    )
    .map(([first, aggregate, by]) => [`fields=${first},${aggregate}|n`, by])
  const aggregate = fc
    .tuple(fc.constantFrom('count', 'sum', 'avg', 'min', 'max'), one(fields.number))
    .map(([fn, field]) => `${field}|n__${fn}=1`)
  const grouped = fc
    .tuple(names, aggregate, fc.constantFrom('', 'n__gt=1', 'order_by=-n'))
    .map(([chosen, first, having]) => [`groupby=${list(chosen)}`, first, having])
  return fc.oneof(
    embedded,
    projected,
    counted,
    grouped,
    aggregate.map((only) => [only]),
  )
}

function listQuery(resource: Resource): fc.Arbitrary<readonly string[]> {
  const joins = fc.tuple(
    fc.oneof(fc.constant([]), fc.uniqueArray(one(pathsOf(resource)), { maxLength: 2 })),
    fc.constantFrom('inner', 'left', 'right'),
  )
  return joins.chain(([names, type]) => {
    const fields = fieldsOf(resource, names)
    const where = fc.oneof(condition(fields), related(resource), group(resource, fields))
    const pages = [
      '',
      '',
      'limit=1',
      'limit=2&page=2',
      'limit=2&paging=cursor',
      'count=none&limit=1',
    ]
    return fc
      .tuple(
        fc.array(where, { maxLength: 2 }),
        fc.oneof(fc.constant(['']), shape(resource, fields)),
        fc.option(order(names.length === 0 ? fields : fieldsOf(resource, [])), {
          nil: '',
          freq: 2,
        }),
        fc.constantFrom(...pages),
      )
      .map(([conditions, output, by, page]) => [
        ...(names.length === 0 ? [] : [`join=${list(names)}`, `join_type=${type}`]),
        ...conditions,
        ...output,
        output.some((part) => /groupby|__|order_by/.test(part)) ? '' : by,
        page,
      ])
  })
}

const key = fc.constantFrom('1', '2', '3', '4', '11', '21', '100', '101', '105')

/** A request that reads; `follow` reads all pages. */
export const randomRequest: fc.Arbitrary<string> = fc
  .constantFrom(...(Object.keys(relationsOf) as Resource[]))
  .chain((resource) => {
    const lists = listQuery(resource).map(
      (parts) => `/api/${resource}?${parts.filter(Boolean).join('&')}`,
    )
    const items = fc
      .tuple(
        key,
        shape(resource, fieldsOf(resource, [])),
        fc.constantFrom(...pathsOf(resource), ''),
      )
      .map(
        ([id, parts, join]) =>
          `/api/${resource}/${id}?${[...parts, join && `join=${join}`].filter(Boolean).join('&')}`,
      )
    const routes = fc
      .constantFrom(...keysOf(resource))
      .chain((name) =>
        fc
          .tuple(key, fc.constantFrom('', 'dump=json', 'limit=1', 'id__count=1', 'order_by=-id'))
          .map(([id, query]) => `/api/${resource}/${id}/${name}?${query}`),
      )
    return fc.oneof(
      { weight: 6, arbitrary: lists },
      { weight: 2, arbitrary: lists.map((url) => `follow ${url}`) },
      { weight: 1, arbitrary: items },
      { weight: 2, arbitrary: routes },
    )
  })
