/**
 * The leak matrix of writes: every write × every secret. The answer, and what the writer reads afterwards, equal those
 * of a world in which the secret does not exist. The exceptions are those of docs/access.md, and stand here by name.
 */
import { type Api, type JsonValue, stringify } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { apiOf, createWorld, fillWorld, full, type Variant, viewer } from './world.ts'
import { taken, type Write, writes } from './write-doors.ts'

type Row = Readonly<Record<string, unknown>>

interface Secret {
  readonly variant: Variant
  readonly change?: (row: Row, model: string) => Row | null
  /** What the contract says cannot be hidden. */
  readonly exceptions?: readonly Write[]
}

const secrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    variant: full,
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'a hidden column': { variant: { ...full, vault: 'absent' } },
  'rows out of scope': {
    variant: full,
    change: (row) => (row.owner_id === 8 ? null : row),
  },
  'soft-deleted rows': { variant: full, change: (row) => (row.deleted === true ? null : row) },
  'an unpublished model': {
    variant: { ...full, audit: 'absent' },
    change: (row, model) => (model === 'Audit' ? null : row),
  },
  'a resource of another role': {
    variant: full,
    change: (row, model) => (model === 'Payroll' || model === 'Ledger' ? null : row),
  },
}

/** The answer to a write and what the writer sees afterwards. */
async function told(api: Api, write: Write): Promise<string> {
  const { method, url, body, headers } = write
  const request = { 'x-request-id': 'r', 'content-type': 'application/json', ...headers }
  const answer = await api.handle({
    method,
    url,
    headers: request,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const after = []
  for (const look of [
    '/api/books?dump=json',
    '/api/authors?dump=json',
    '/api/tags',
    '/api/reviews',
  ]) {
    const { body: seen } = await api.handle({ method: 'GET', url: look, headers: request })
    after.push(stringify(seen as unknown as JsonValue))
  }
  const text = answer.body === undefined ? '' : stringify(answer.body as unknown as JsonValue)
  return [`${answer.status} ${JSON.stringify(answer.headers)} ${text}`, ...after].join('\n')
}

eachDatabase('a write', (test, db) => {
  test.before(() => createWorld(db))

  const inWorld = async ({ variant, change }: Secret, write: Write): Promise<string> => {
    await fillWorld(db, change)
    return told(apiOf(db, variant, viewer), write)
  }

  for (const [name, list] of Object.entries(writes)) {
    test(`tells nothing of any secret: ${name}`, async () => {
      let succeeded = 0
      for (const write of list) {
        const answer = await inWorld({ variant: full }, write)
        ok(!answer.startsWith('5'), `${write.method} ${write.url}\n${answer}`)
        if (answer.startsWith('2')) succeeded++
        for (const [secret, lacking] of Object.entries(secrets)) {
          const about = `${secret}: ${write.method} ${write.url} ${JSON.stringify(write.body)}`
          equal(answer, await inWorld(lacking, write), about)
        }
      }
      const refusedAll = ['a hidden column', 'an unpublished relation', 'parameters of a write']
      ok(succeeded > 0 || refusedAll.includes(name), 'no write of this kind succeeds')
    })
  }

  test('tells by 409 that a key is taken, which no policy can hide', async () => {
    for (const write of taken) {
      ok((await inWorld({ variant: full }, write)).startsWith('409'))
      const nobody = (row: Row) => (row.owner_id === 7 && row.deleted === false ? row : null)
      ok((await inWorld({ variant: full, change: nobody }, write)).startsWith('201'))
    }
  })
})
