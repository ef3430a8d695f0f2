/** Every link between the pages of this repository has a target, including headings. */
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchor } from '../../scripts/site/anchor.ts'
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const pages = filesBelow('', /\.md$/)

/** The text outside fenced blocks. */
const prose = (page: string): string => page.replace(/^```.*?^```/gms, '')

const anchorsOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))

/** The address of the files of this repository, for pages that are read without it: those of packages, and the documentation. */
const address = 'https://github.com/model-api/model-api/blob/main/'

const linksOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)

/** The links of a page without a target. */
function broken(file: string, page: string): string[] {
  return linksOf(page).filter((link) => {
    const isAddress = link.startsWith(address)
    if (!isAddress && /^[a-z]+:/.test(link)) return false
    const [path = '', heading] = (isAddress ? link.slice(address.length) : link).split('#')
    const own = isAddress ? path : join(dirname(file), path)
    const target = path === '' ? file : normalize(own)
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
    const absolute = `[a](${address}LICENSE) [b](${address}gone.md) [c](${address}README.md#gone)`
    equal(broken('docs/start/comparison.md', absolute), [
      `${address}gone.md`,
      `${address}README.md#gone`,
    ])
  })

  test('lead out of docs by the address of the repository, because the folder is also read alone', () => {
    const found = filesBelow('docs', /\.md$/).flatMap((file) =>
      linksOf(readSource(file)).filter(
        (link) =>
          !/^([a-z]+:|#)/.test(link) && !normalize(join(dirname(file), link)).startsWith('docs/'),
      ),
    )
    equal(found, [])
  })
})
