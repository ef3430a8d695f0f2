/**
 * What an API in a framework gets from it, besides requests: the user and the address of the client, and notice of clients that
 * disconnect.
 */
import { EventEmitter, once } from 'node:events'
import * as http from 'node:http'
import { connect } from 'node:net'
import { type Api, type ApiConfig, createApi, defineModel, type Envelope } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

/** An app that authenticates the user in the header `x-user` in the framework's own way. */
export interface Hosting {
  readonly start: (api: Api) => Promise<{ readonly port: number; stop(): Promise<void> }>
  /** The user of the app, from `request.host`. */
  readonly userOf: (host: unknown) => { readonly name: string } | undefined
  /** Default: none. */
  readonly mount?: string
}

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'string' },
    author: { type: 'string', nullable: true },
  },
  meta: {},
})

async function running(
  { start, mount = '' }: Hosting,
  config: ApiConfig,
  run: (url: string, port: number) => Promise<void>,
): Promise<void> {
  const database = new Sqlite(':memory:')
  database.exec(`create table notes (id integer primary key, text varchar(60) not null, author varchar(60));
    insert into notes values (1, 'first', null)`)
  // biome-ignore lint/suspicious/noExplicitAny: the table is the text above
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
  const api = createApi({ db, models: [Note], config, onError: () => {} })
  const { port, stop } = await start(api)
  try {
    await run(`http://127.0.0.1:${port}${mount}/api/notes`, port)
  } finally {
    await stop()
    await api.close()
    await db.destroy()
  }
}

const json = { 'content-type': 'application/json' }

/** Returns status and envelope of a request that is sent from a local address. */
function ask(
  url: string,
  localAddress: string,
): Promise<{ readonly status: number | undefined; readonly body: Envelope }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { localAddress, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (data) => {
        text += data
      })
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }))
    })
    request.on('error', reject)
  })
}

/** Declares the suite. */
export function hosts(name: string, hosting: Hosting): void {
  const { userOf, mount = '' } = hosting
  const signedIn: ApiConfig = {
    API_AUTHENTICATE_METHOD: ['custom'],
    API_CUSTOM_AUTH: ({ host }) => userOf(host),
    API_ADD_CALLBACK: (values, _model, { user }) => ({ ...values, author: user.name }),
  }

  suite(`hosted by ${name}`, (test) => {
    test('the user of the app is the user of the request', () =>
      running(hosting, signedIn, async (url) => {
        const options = {
          method: 'POST',
          headers: { ...json, 'x-user': 'ada' },
          body: '{"text":"second"}',
        }
        const response = await fetch(url, options)
        const { value } = (await response.json()) as Envelope<{ author: string }>
        equal([response.status, value?.author], [201, 'ada'])
      }))

    test('an anonymous request is refused by the API', () =>
      running(hosting, signedIn, async (url) => {
        const response = await fetch(url)
        const { errors, status_code } = (await response.json()) as Envelope
        equal([response.status, status_code, errors?.error], [401, 401, 'Unauthorized'])
      }))

    test('a record is changed once with the ETag of a read', () =>
      running(hosting, {}, async (url) => {
        const tag = (await fetch(`${url}/1`)).headers.get('etag') ?? ''
        const headers = { ...json, 'if-match': tag }
        const change = () =>
          fetch(`${url}/1`, { method: 'PATCH', headers, body: '{"text":"changed"}' })
        const first = await change()
        const { value } = (await first.json()) as Envelope<{ text: string }>
        equal([first.status, value?.text], [200, 'changed'])
        equal((await change()).status, 412)
      }))

    test('rate limits count clients by address', () =>
      running(hosting, { API_RATE_LIMIT: '2 per hour' }, async (url) => {
        const statuses: unknown[] = []
        for (const address of ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2']) {
          statuses.push((await ask(url, address)).status)
        }
        equal(statuses, [200, 200, 429, 200])
      }))

    test('a client that disconnects is noticed while its request runs', async () => {
      const request = new EventEmitter()
      const config: ApiConfig = {
        API_SETUP_CALLBACK: async ({ signal }) => {
          ok(signal, 'there is no signal')
          const aborted = once(signal, 'abort')
          request.emit('begun')
          await aborted
          request.emit('left')
        },
      }
      await running(hosting, config, async (_url, port) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(`GET ${mount}/api/notes HTTP/1.1\r\nhost: x\r\n\r\n`)
        await once(request, 'begun')
        const left = once(request, 'left')
        socket.destroy()
        await left
      })
    })
  })
}
