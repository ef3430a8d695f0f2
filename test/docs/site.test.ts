/**
 * The site of the documentation has every page; in a browser: its pages, dark and light, and what its search finds. `npm run docs` builds
 * it, and so does a whole run.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { equal, match } from '../support/assert.ts'
import { chromiumPath, type Visit, visit } from '../support/chromium.ts'
import { checksRelease } from '../support/extent.ts'
import { filesBelow, readSource, repository } from '../support/source.ts'
import { notRun, suite } from '../support/suite.ts'
import { questions } from './questions.ts'

const site = join(repository, 'scripts/site/dist/site')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

const serveSite = (): Server =>
  createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://site').pathname.replace(/\/$/, '/index.html')
    const file = join(site, path)
    if (!existsSync(file)) return void res.writeHead(path === '/favicon.ico' ? 204 : 404).end()
    res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    res.end(readFileSync(file))
  })

/** Writes the picture into the folder that SCREENSHOTS names. */
function keep(name: string, { screenshot }: Visit): void {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.png`), screenshot)
}

/** Types each question into the search; in the end, the text of the page is the list of the first three pages of each. */
const searchAll = `(window.asked ??= (async () => {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const until = async (found) => { for (let i = 0; i < 100; i++) { const it = found(); if (it) return it; await pause(50) } }
  const input = await until(() => {
    const found = document.querySelector('#localsearch-input')
    // Before the page is hydrated, a click does nothing.
    if (found === null) document.querySelector('.DocSearch-Button')?.click()
    return found
  })
  const hits = []
  for (const question of ${JSON.stringify(questions.map(([question]) => question))}) {
    input.value = question
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await pause(500)
    hits.push([...document.querySelectorAll('.results a.result')].slice(0, 3).map((hit) => new URL(hit.href).pathname + new URL(hit.href).hash))
  }
  document.body.innerText = JSON.stringify(hits)
  window.done = true
})(), window.done === true)`

const pages = filesBelow('docs', /\.md$/)

/** Whether the site is built of these pages, of which the build makes copies. */
const isBuilt = (): boolean =>
  pages.every((page) => {
    const copy = join(site, '..', page.replace('docs/', 'pages/'))
    return existsSync(copy) && readFileSync(copy, 'utf8') === readSource(page)
  })

/** Builds the site; a text says why that was not possible. */
const build = (): Promise<string | undefined> =>
  promisify(execFile)(process.execPath, [join(repository, 'scripts/site/build.ts')]).then(
    () => undefined,
    (error: { readonly stderr?: string }) => `${error.stderr ?? error}`,
  )

const problem = checksRelease && !isBuilt() ? await build() : undefined

if (problem !== undefined && /E(?:NOTFOUND|AI_AGAIN|CONNREFUSED)/.test(problem)) {
  notRun('the site of the documentation', 'the package registry cannot be reached')
} else if (checksRelease || isBuilt()) {
  suite('the built site', (test) => {
    test('has every page', () => {
      equal(problem, undefined)
      const absent = pages.filter((page) => {
        const file = page.replace('docs/', '').replace('README', 'index').replace('.md', '.html')
        return !existsSync(join(site, file))
      })
      equal(absent, [])
    })
  })
}

const missing = !isBuilt()
  ? 'npm run docs has not built it'
  : chromiumPath() === undefined
    ? 'no chromium; its path can be in CHROMIUM'
    : undefined

if (missing !== undefined) notRun('the site of the documentation in a browser', missing)
else {
  suite('the site of the documentation', (test) => {
    const server = serveSite()
    let url = ''
    test.before(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    test.after(() => void server.close())

    for (const colours of ['light', 'dark']) {
      test(`is shown in ${colours} colours, without an error`, async () => {
        for (const page of ['', 'guide/models.html', 'reference/errors.html']) {
          const set = `localStorage.setItem('vitepress-theme-appearance', '${colours}')`
          const dark = `document.documentElement.classList.toggle('dark', ${colours === 'dark'})`
          const shown = `!!document.querySelector('.VPSidebar') && !!document.querySelector('h1')`
          const seen = await visit(`${url}/${page}`, `(${set}, ${dark}, ${shown})`)
          match(seen.title, 'model-api')
          equal(seen.errors, [])
          equal(
            seen.requests.filter((one) => !one.startsWith(url) && !one.startsWith('data:')),
            [],
          )
          keep(`${colours}-${page.replace(/\W/g, '-') || 'index'}`, seen)
        }
      })
    }

    test('answers each question by one of the first three hits', async () => {
      const seen = await visit(`${url}/`, searchAll, 120_000)
      const hits = JSON.parse(seen.text) as string[][]
      const unanswered = questions.flatMap(([question, ...pages], i) => {
        const found = hits[i] ?? []
        const answered = found.some((hit) => pages.some((page) => hit.includes(page)))
        return answered ? [] : [{ question, found }]
      })
      equal(unanswered, [])
    })
  })
}
