/** The apps examples/react-admin and examples/refine: they compile with strict checks, are built, and show the demo in Chromium. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { listener } from '@model-api/http-node'
import { openLibrary } from '../../examples/library/library.ts'
import { equal, match, ok } from '../support/assert.ts'
import { chromiumPath, visit } from '../support/chromium.ts'
import { notRun, suite } from '../support/suite.ts'
import { appFolder, exampleApps } from './example-apps.ts'

const run = promisify(execFile)

/** For each app: the address of a search for “island”, and what its page then shows. */
const searches: Readonly<Record<string, string>> = {
  'react-admin': `/#/books?filter=${encodeURIComponent('{"title__ilike":"island"}')}`,
  refine: '/?title=island',
}

const missing = Object.values(exampleApps)
  .map((packages) => packages.notInstalled())
  .find((why) => why !== undefined)
if (missing !== undefined) notRun('clients/', missing)
else if (chromiumPath() === undefined) notRun('clients/example-apps', 'there is no Chromium')
else declare()

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

function declare(): void {
  suite('the example apps', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-apps-'))
    let library: Awaited<ReturnType<typeof openLibrary>>
    test.before(async () => {
      library = await openLibrary()
      for (const [name, packages] of Object.entries(exampleApps)) {
        const own = (path: string): boolean => !/node_modules|dist$/.test(path)
        cpSync(appFolder(name), join(folder, name), { recursive: true, filter: own })
        symlinkSync(join(packages.folder, 'node_modules'), join(folder, name, 'node_modules'))
      }
    })
    test.after(async () => {
      await library.close()
      rmSync(folder, { recursive: true })
    })

    /** Builds the app, and serves the page and the API at one origin. */
    async function served(name: string): Promise<{ url: string; stop(): Promise<void> }> {
      const cwd = join(folder, name)
      const bin = (program: string): string => join(cwd, 'node_modules/.bin', program)
      const { stdout } = await run(bin('tsc'), [], { cwd }).catch((error) => error)
      equal(stdout, '')
      await run(bin('vite'), ['build', '--logLevel', 'error'], { cwd, maxBuffer: 1e8 })
      const server = createServer(
        listener(library.api, {
          fallback: (req, res) => {
            const path = new URL(req.url ?? '/', 'http://app').pathname
            const file = path === '/' ? '/index.html' : path
            res.setHeader('content-type', types[extname(file)] ?? 'text/plain')
            res.end(readFileSync(join(cwd, 'dist', file)))
          },
        }),
      )
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      return {
        url: `http://127.0.0.1:${port}`,
        stop: () =>
          new Promise((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      }
    }

    const settled = ['Treasure Island', 'Robert Louis Stevenson']
      .map((text) => `document.body.innerText.includes('${text}')`)
      .join(' && ')

    for (const [name, search] of Object.entries(searches)) {
      test(`${name} compiles, and shows the results of a search`, async () => {
        const app = await served(name)
        try {
          const { text, errors } = await visit(`${app.url}${search}`, settled, 60_000)
          equal(errors, [])
          ok(text.indexOf('Treasure Island') < text.indexOf('Robert Louis Stevenson'), text)
          ok(!text.includes('Emma'), text)
          if (name === 'react-admin') await editsABook(app.url)
        } finally {
          await app.stop()
        }
      })
    }

    async function editsABook(url: string): Promise<void> {
      const { title } = await visit(`${url}/#/books/5`, editing, 60_000)
      match(title, 'Expected a decimal number')
      const { body } = await library.api.handle<{ price: string }>({
        method: 'GET',
        url: '/api/books/5',
      })
      equal(body?.value?.price, '12.34')
    }
  })
}

/** Logs in, saves an invalid price, then a valid one. The title shows the message beside the input. True when the valid price is saved. */
const editing = `(() => {
  const type = (name, text) => {
    const input = document.querySelector('input[name="' + name + '"]')
    if (input === null) return false
    input.focus()
    input.select()
    return document.execCommand('insertText', false, text)
  }
  const click = (label) => setTimeout(() => {
    const is = (one) => (one.innerText + one.ariaLabel).toLowerCase().includes(label)
    ;[...document.querySelectorAll('button')].find(is)?.click()
  }, 300)
  const message = [...document.querySelectorAll('.Mui-error')].map((one) => one.innerText).join(' ')
  const { done = 0 } = window
  const next = () => { window.done = done + 1 }
  if (done === 0 && type('username', 'emil') && type('password', 'emil-editor')) next(click('sign in'))
  if (done === 1 && document.querySelector('input[name="title"]')?.value) {
    type('price', 'cheap')
    next(click('save'))
  }
  if (done === 2 && message !== '') {
    document.title = message
    window.message = message
    type('price', '12.34')
    next(click('save'))
  }
  if (window.message) document.title = window.message
  return done === 3 && location.hash.startsWith('#/books') && !location.hash.includes('/5')
})()`
