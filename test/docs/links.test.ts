/** Every link between the pages of this repository has a target, including headings. */
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const pages = filesBelow('', /\.md$/)

/** The text outside fenced blocks. */
const prose = (page: string): string => page.replace(/^```.*?^```/gms, '')

/** The anchor of a heading on GitHub. */
const anchor = (heading: string): string =>
  heading
    .replace(/\[(.*?)\]\(.*?\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))

/** The links of a page without a target. */
function broken(file: string, page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', heading] = link.split('#')
    const target = path === '' ? file : normalize(join(dirname(file), path))
    if (!existsSync(join(repository, target))) return true
    return heading !== undefined && !anchorsOf(readSource(target)).includes(heading)
  })
}

suite('links between pages', (test) => {
  test('have an existing target', () => {
    const found = pages.flatMap((file) =>
      broken(file, readSource(file)).map((link) => `${file}: ${link}`),
    )
    equal(found, [])
  })

  test('without a target are found', () => {
    const page = '## A `b`: c\n[a](#a-b-c) [b](#b) [c](LICENSE) [d](gone.md) [e](https://x.y/)'
    equal(broken('README.md', page), ['#a-b-c', '#b', 'gone.md'])
  })
})
