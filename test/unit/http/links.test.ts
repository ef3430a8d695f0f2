/** Links to other pages: the client's own parameters unchanged, those of paging replaced. */
import * as fc from 'fast-check'
import { pageUrl } from '../../../packages/core/src/query/serialize/links.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const paging = ['page', 'limit', 'after', 'before']

/** Decodes every name. */
function isPaging(pair: string): boolean {
  const [name = ''] = pair.split('=')
  try {
    return paging.includes(decodeURIComponent(name))
  } catch {
    return paging.includes(name)
  }
}

/** A pair as it stands in a URL: what no URL can contain, byte by byte. */
const inUrl = (pair: string): string =>
  [...pair]
    .map((char) =>
      /^[!-~]$/.test(char) && !'#<>'.includes(char)
        ? char
        : [...Buffer.from(char)]
            .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
            .join(''),
    )
    .join('')

const pairs = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[
        'page=2',
        'p%61ge=2',
        'p%61ge',
        'limit',
        'limit=',
        '=limit',
        'after=x%3D=y',
        'befor%65=1',
      ],
      ...[
        'page%=1',
        '%zz=1',
        '%70%61%67%65=3',
        'Page=1',
        'page+=1',
        'pages=1',
        '',
        '=',
        '%',
        'a=page',
      ],
      ...['or[page__eq=1,limit__eq=2]', 'title__eq=a%26page%3D2', 'é=1', '\ud800=1'],
    ),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('&', '')),
  ),
)

suite('http/links', (test) => {
  test('parameters other than those of paging are copied as written, except what no URL can contain', () => {
    void fc.assert(
      fc.property(pairs, (query) => {
        const kept = query.filter((pair) => pair !== '' && !isPaging(pair)).map(inUrl)
        equal(
          pageUrl('/api/books', query.join('&'), { limit: '20', page: '3' }),
          `/api/books?${[...kept, 'limit=20', 'page=3'].join('&')}`,
        )
      }),
      { numRuns: 5000, seed: 20260102 },
    )
  })
})
