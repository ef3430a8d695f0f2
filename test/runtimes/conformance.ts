/** Sends the list to `api.fetch` of this runtime, and returns the responses. */
import { type Api, createApi } from '@model-api/core'
import type { Kysely } from 'kysely'
import { type Request as Listed, requests } from './requests.ts'
import { config, createWorld, models, secrets, type Tables } from './world.ts'

export interface Answers {
  /** Every request with status, headers and body. */
  readonly text: string
  /** The documents: OpenAPI in both forms, and its page. */
  readonly documents: readonly string[]
  /** The errors that `onError` received. */
  readonly errors: readonly string[]
}

const shownHeaders = ['content-type', 'location', 'allow', 'etag', 'www-authenticate', 'vary']
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
/** What varies in the responses about API keys. */
const ofKeys =
  /"(id|prefix|key|created_at|last_used_at)":"(?:(?:mak_)?[0-9a-f]{16}|mak_[\w-]{20,}|20[\w:.-]+Z)"/g

/** Creates the tables in an empty database, over `creator`, and sends every request, one after the other. */
export async function conformance(
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of the world
  db: Kysely<any>,
  tables: Tables,
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of the world
  creator: Kysely<any> = db,
): Promise<Answers> {
  await createWorld(creator, tables)
  const errors: string[] = []
  const onError = (error: unknown): void => {
    errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  const api = createApi({ db, models, config, env: secrets, onError, onWarning: () => {} })
  const { text, documents } = await answersOf(api)
  const inProcess = await resultsOf(api)
  await api.close()
  return { text: `${text}\n${inProcess}`, documents, errors }
}

async function answersOf(api: Api): Promise<Omit<Answers, 'errors'>> {
  const documents: string[] = []
  const lines: string[] = []
  const kept = { next: '', access: '', refresh: '', used: '', key: '', keyId: '' }
  for (const listed of requests) {
    const url = listed.url.replace('{next}', kept.next).replace('{key id}', kept.keyId)
    const response = await api.fetch(requestOf(listed, url, kept))
    const body = await response.text()
    const headers = shownHeaders.flatMap((name) => {
      const value = response.headers.get(name)
      // The ETag of a document changes with every word of it.
      const isLeftOut = value === null || (name === 'etag' && listed.document === true)
      return isLeftOut ? [] : [`${name}: ${value}`]
    })
    const shown = listed.document === true ? '(document)' : withoutVarying(body)
    const cookies = response.headers.getSetCookie()
    const set = cookies.map((cookie) => `set-cookie: ${withoutVarying(cookie)}`)
    lines.push(
      `${listed.method} ${kept.keyId === '' ? url : url.replace(kept.keyId, '(key id)')}`,
      `${response.status} ${headers.join('; ')}`,
      ...set,
      shown,
      '',
    )
    if (listed.document === true) documents.push(body)
    remember(kept, body, cookies)
  }
  return { text: lines.join('\n'), documents }
}

interface InProcess {
  readonly [collection: string]: Readonly<
    Record<
      'list' | 'get' | 'create' | 'update' | 'remove',
      (...given: unknown[]) => PromiseLike<unknown>
    >
  >
}

/** What the client in the process tells of reads, writes and refusals. */
async function resultsOf(api: Api): Promise<string> {
  const { books, tags, loans } = api.as('system') as unknown as Required<InProcess>
  const told = async (name: string, call: PromiseLike<unknown> | undefined): Promise<string> => {
    const { status, value, error } = (await call) as Record<string, unknown>
    const code = (error as { readonly code?: string } | undefined)?.code
    return `api.as ${name}\n${status} ${JSON.stringify(code ?? value)}\n`
  }
  const query = { where: { price: { gt: '9' } }, orderBy: ['id'], fields: ['id', 'price'] }
  return [
    await told('list', books?.list(query)),
    await told('get', books?.get(3, { fields: ['sold', 'published_at', 'details'] })),
    await told('get of no record', books?.get(98)),
    await told('create', tags?.create({ name: 'in the process' }, { fields: ['name'] })),
    await told('create of a wrong value', tags?.create({ name: 7 })),
    await told('update that overlaps', loans?.update(1, { back: null })),
    await told('remove', loans?.remove(1)),
  ].join('\n')
}

const withoutVarying = (body: string): string =>
  body.replace(token, '(token)').replace(ofKeys, '"$1":"(varies)"')

type Kept = Record<'next' | 'access' | 'refresh' | 'used' | 'key' | 'keyId', string>

function requestOf({ method, headers, body, signedIn }: Listed, url: string, kept: Kept): Request {
  const sent = signedIn === true ? `Bearer ${kept.access}` : headers?.authorization
  const authorization = sent === undefined ? {} : { authorization: sent.replace('{key}', kept.key) }
  const filled = body?.replace('{used}', kept.used)
  const cookie =
    headers?.cookie === undefined
      ? {}
      : { cookie: headers.cookie.replace('{refresh}', kept.refresh) }
  return new Request(`http://localhost${url}`, {
    method,
    headers: { ...headers, ...cookie, ...authorization },
    ...(filled === undefined ? {} : { body: filled }),
  })
}

function remember(kept: Kept, body: string, cookies: readonly string[]): void {
  if (!body.startsWith('{')) return
  const { next_url: next, value } = JSON.parse(body)
  kept.next = next ?? ''
  if (typeof value?.key === 'string') {
    kept.key = value.key
    kept.keyId = value.id
  }
  const [refresh] = cookies.flatMap(
    (text) => /^__Secure-refresh_token=([^;]+)/.exec(text)?.[1] ?? [],
  )
  if (refresh === undefined) return
  kept.access = value.access_token
  kept.used = kept.refresh === '' ? refresh : kept.refresh
  kept.refresh = refresh
}
