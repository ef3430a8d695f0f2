/** The three spellings that clients produce mean the same. */
import { suite } from '../../support/suite.ts'
import { same } from './query.ts'

const queries = [
  'price__ge=30&title__ilike=emma',
  'id__in=(1,2,3)',
  'or[id__in=(1,2,3),title__eq="a,b"]',
  'or[price__ge=30,and[title__like=x,not[in_stock__eq=true]]]&page=2',
  'exists(books.price__gt=20,in_stock__eq=true)',
  'missing(author.books.title__eq="x (y)")',
  'join=author,reviews&join_type=left',
  'fields=id,title,author.name&order_by=-price.nullslast,id',
  'groupby=customer.id,total|revenue__sum=1,year(ordered_on)|y&revenue__gt=100',
  'aggregate=total|revenue__sum,id__count',
  'price|total__sum=1',
  'books.limit=3&books.order_by=-published_on&books.fields=id,title',
  'books[price__gt=20,or[title__like="[1]",id__in=(1,2)]]',
  'title__eq="she said \\"no, thanks\\" \\\\o/"',
]

/** As `new URLSearchParams(query)` prints it: encodes everything except letters, digits and `*-._`. */
function asForm(query: string): string {
  return new URLSearchParams(query).toString()
}

/** As a client that encodes the whole pair as a key. */
function asKeys(query: string): string {
  return new URLSearchParams(query.split('&').map((pair) => [pair, ''])).toString()
}

/** As `encodeURIComponent` encodes each value; the structure stays raw. */
function withEncodedValues(query: string): string {
  return query.replace(/"(?:[^"\\]|\\.)*"|(?<=__\w+=)\w+/g, encodeURIComponent)
}

/** As `new URL()` and browsers normalise it. */
function asUrl(query: string): string {
  return new URL(`http://localhost/?${query}`).search.slice(1)
}

suite('a query', (test) => {
  for (const query of queries) {
    test(`${query} means the same from every client`, () => {
      same(query, asForm(query))
      same(query, withEncodedValues(query))
      same(query, asUrl(query))
      const bracketed = query.split('&').every((pair) => /^[a-z]+[[(]/.test(pair))
      if (bracketed) same(query, asKeys(query))
    })
  }
})
