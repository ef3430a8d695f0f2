/** The documentation is short and complete: words of each page and of all, and an index that names every page on its shelf. */
import { equal, ok } from '../support/assert.ts'
import { filesBelow, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const shelves = ['start', 'guide', 'recipes', 'reference', 'inside']
const pages = filesBelow('docs', /\.md$/)

/** Words as `wc -w` counts them: what stands between white space, also a symbol alone. */
const words = (text: string): number => text.split(/\s+/).filter((one) => one !== '').length

const most = (page: string): number => (page.startsWith('docs/reference/') ? 5000 : 3000)

suite('the words of the documentation', (test) => {
  test('are at most 3,000 of a page, 5,000 of one for reference', () => {
    const counted = pages.map((page) => ({ page, words: words(readSource(page)) }))
    equal(
      counted.filter((one) => one.words > most(one.page)),
      [],
    )
  })

  test('are at most 42,000 in all', () => {
    const all = pages.reduce((sum, page) => sum + words(readSource(page)), 0)
    ok(all <= 42_000, `${all} words of at most 42,000: shorten a page, the least useful one first`)
  })
})

suite('the index of the documentation', (test) => {
  const index = readSource('docs/README.md')
  const shown = [...index.matchAll(/^- \[.+?\]\((.+?)\): \S.*$/gm)].map(
    ([, page = '']) => `docs/${page}`,
  )

  test('has one line for each page', () => {
    equal(shown.toSorted(), pages.filter((page) => page !== 'docs/README.md').toSorted())
  })

  test('has the five shelves', () => {
    equal(
      [...index.matchAll(/^## (.*)$/gm)].map(([, name = '']) => name.toLowerCase()),
      shelves,
    )
    const folders = new Set(shown.map((page) => page.split('/')[1]))
    equal([...folders], shelves)
  })
})
