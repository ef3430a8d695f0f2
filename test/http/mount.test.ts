/** An API that is mounted at API_PREFIX, in Express, Koa and hosts such as Connect: each record has one URL, which guards of the host see. */
import * as http from 'node:http'
import { createRequire } from 'node:module'
import * as inExpress from '@model-api/adapter-express'
import * as inKoa from '@model-api/adapter-koa'
import { type Api, createApi, defineModel } from '@model-api/core'
import * as inNode from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import express from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import { Kysely, SqliteDialect } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { host, listening, send } from './conformance.ts'
import { openWorld } from './world.ts'

const express4 = createRequire(import.meta.url)('express4') as typeof express

/** Builds an app that refuses `/api/books` itself, and then serves the API below `/api`. */
type Build = (api: Api) => http.RequestListener

const inFramework =
  (framework: typeof express): Build =>
  (api) => {
    const app = framework()
    app.use('/api/books', (_req, res) => void res.status(403).send('refused by the host'))
    app.use('/api', inExpress.modelApi(api))
    // Once more below a router: a request that the first one passes on is not served in another way.
    app.use('/v2', express.Router().use('/api', inExpress.modelApi(api)))
    app.use((_req, res) => void res.status(404).send(host.nobody))
    return app
  }

const koa: Build = (api) => {
  const app = new Koa()
  app.silent = true
  app.use(
    mount('/api/books', (ctx) => {
      ctx.status = 403
      ctx.body = 'refused by the host'
    }),
  )
  app.use(mount('/api', inKoa.modelApi(api)))
  app.use(mount('/v2', mount('/api', inKoa.modelApi(api))))
  app.use((ctx) => {
    ctx.status = 404
    ctx.body = host.nobody
  })
  return app.callback() as http.RequestListener
}

/** Does what Connect does for `app.use(path, handler)`: compares paths without case, and removes the mount from `url`. */
const connect: Build = (api) => {
  const serve = inNode.listener(api)
  const answer = (res: http.ServerResponse, status: number, text: string) => {
    res.statusCode = status
    res.end(text)
  }
  return (req, res) => {
    const originalUrl = req.url ?? '/'
    const isAt = (path: string) => {
      const start = originalUrl.slice(0, path.length).toLowerCase()
      return start === path && /^[/.?]?$/.test(originalUrl.charAt(path.length))
    }
    const at = ['/api', '/v2/api'].find(isAt)
    if (isAt('/api/books')) answer(res, 403, 'refused by the host')
    else if (at === undefined) answer(res, 404, host.nobody)
    else {
      const rest = originalUrl.slice(at.length)
      Object.assign(req, { originalUrl, url: rest.startsWith('/') ? rest : `/${rest}` })
      serve(req, res, () => answer(res, 404, host.nobody))
    }
  }
}

const hosts: Readonly<Record<string, Build>> = {
  'Express 5': inFramework(express),
  'Express 4': inFramework(express4),
  Koa: koa,
  Connect: connect,
}

const running = async (
  app: http.RequestListener,
  run: (ask: (url: string) => ReturnType<typeof send>) => Promise<void>,
): Promise<void> => {
  const { port, stop } = await listening(http.createServer(app))
  try {
    await run((url) => send(port, { title: '', url, status: 0 }))
  } finally {
    await stop()
  }
}

/** URLs that might be taken for `/api/books`, on which the host has a guard. */
const spellings = [
  '/api/api/books',
  '/api/api/books?limit=1',
  '/api/api/api/books',
  '/API/api/books',
  '/API/books',
  '/Api/api/books',
  '/api/API/books',
  '/api//books',
  '/api//api/books',
  '//api/books',
  '//api/api/books',
  '/api/./books',
  '/api/../api/books',
  '/%61pi/books',
  '/%61pi/api/books',
  '/api/api%2Fbooks',
  '/api%2Fapi/books',
  '/api\\books',
  '/api/api\\books',
  '/api/api\\books#',
  '/api/api/books#',
  '/api/api/books"#',
  '/api\\api/books#',
  '/api;/api/books',
  '/v2/api/api/books',
  '/V2/api/api/books',
  'http://localhost/api/api/books',
]

suite('an API that is mounted at its prefix', (test) => {
  for (const [name, build] of Object.entries(hosts)) {
    test(`${name}: no other spelling of a URL passes a guard of the host`, async () => {
      const { api, close } = await openWorld()
      try {
        await running(build(api), async (ask) => {
          equal((await ask('/api/books')).body, 'refused by the host')
          equal((await ask('/api/authors/1')).status, 200)
          for (const url of spellings) {
            const { status, body } = await ask(url)
            ok(status >= 400 && !body.includes('Emma'), `${url}: ${status} ${body.slice(0, 200)}`)
          }
        })
      } finally {
        await close()
      }
    })

    test(`${name}: links and the index have the URLs that the client sends`, async () => {
      const { api, close } = await openWorld()
      try {
        await running(build(api), async (ask) => {
          for (const at of ['', '/v2']) {
            const index = await ask(`${at}/api`)
            equal([index.status, index.body.includes(`"${at}/api/authors"`)], [200, true])
            equal((await ask(`${at}/api?limit=1`)).status, 400)
            const list = await ask(`${at}/api/authors?limit=1`)
            ok(list.body.includes(`"${at}/api/authors?limit=1&page=2"`), list.body)
          }
        })
      } finally {
        await close()
      }
    })
  }

  test('a mount that continues behind the prefix is removed', async () => {
    const { api, close } = await openWorld()
    const app = express().use('/api/v1', inExpress.modelApi(api))
    try {
      await running(app, async (ask) => {
        equal((await ask('/api/v1/api/authors/1')).status, 200)
        equal((await ask('/api/v1/authors/1')).status, 404)
      })
    } finally {
      await close()
    }
  })

  test('guards and the API give hooks the same URL', async () => {
    const database = new Sqlite(':memory:')
    database.exec('create table notes (id integer primary key); insert into notes values (1)')
    // biome-ignore lint/suspicious/noExplicitAny: the table is the text above
    const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
    const Note = defineModel('Note', {
      columns: { id: { type: 'integer', primaryKey: true } },
      meta: {},
    })
    const asked: unknown[] = []
    const api = createApi({
      db,
      models: [Note],
      config: {
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: ({ url, baseUrl }) => {
          asked.push([url, baseUrl ?? ''])
          return { id: 1 }
        },
      },
    })
    const connected = inNode.listener(api)
    const guard = inNode.requireUser(api)
    const apps: Readonly<Record<string, http.RequestListener>> = {
      express: express().use('/api', inExpress.requireUser(api), inExpress.modelApi(api)),
      koa: new Koa()
        .use(mount('/api', new Koa().use(inKoa.requireUser(api)).use(inKoa.modelApi(api))))
        .callback() as http.RequestListener,
      connect: (req, res) => {
        const { url = '' } = req
        Object.assign(req, { originalUrl: url, url: url.slice('/api'.length) })
        guard(req, res, () => connected(req, res, () => res.end()))
      },
    }
    try {
      for (const [name, app] of Object.entries(apps)) {
        asked.length = 0
        await running(app, async (ask) => equal((await ask('/api/notes/1')).status, 200, name))
        equal(asked, [
          ['/api/notes/1', ''],
          ['/api/notes/1', ''],
        ])
      }
    } finally {
      await api.close()
      await db.destroy()
    }
  })

  test('a path that the host has rewritten is the one that is served', async () => {
    const { api, close } = await openWorld()
    const app = express()
    app.use((req, _res, next) => {
      if (req.url === '/api/books/1') req.url = '/api/authors/1'
      next()
    })
    app.use('/api', inExpress.modelApi(api))
    try {
      await running(app, async (ask) => {
        ok((await ask('/api/books/1')).body.includes('Jane Austen'))
      })
    } finally {
      await close()
    }
  })
})
