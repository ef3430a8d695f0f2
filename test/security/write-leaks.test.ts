/**
 * The leak matrix of writes: every write × every secret. The response, and what the writer reads afterwards, equal those of a
 * world in which the secret does not exist. The exceptions are those of docs/guide/access.md, listed here by name.
 */
import { ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { secretsOn } from './secrets-on.ts'
import {
  admin,
  apiOf,
  createWorld,
  fillWorld,
  full,
  keeper,
  type Variant,
  viewer,
} from './world.ts'
import { guessesOf, lists, taken, type Write, writes } from './write-doors.ts'
import { type Row, requireAlike, secrets, writerIn } from './write-secrets.ts'

// What writes reveal depends on the engine, not on its version. The matrix of reads runs on every server.
runsOn('one server of each engine')

const bulk = { API_ALLOW_BULK: true } as const

/** Worlds and callers whose ETags are tried: they see other rows, columns or relations of books. */
const knowing = [
  [full, viewer],
  [full, admin],
  [{ ...full, vault: 'visible' }, admin],
  [{ ...full, vault: 'ruled' }, keeper],
  [{ ...full, shelf: 'absent' }, viewer],
] as const satisfies readonly (readonly [Variant, unknown])[]

/** The answers to the same writes in another world. */
async function answersIn(
  db: TestDatabase,
  variant: Variant,
  list: readonly Write[],
): Promise<ReadonlyMap<Write, string>> {
  const write = writerIn(db, { variant }, bulk)
  const answers = new Map<Write, string>()
  for (const one of list) answers.set(one, await write(one))
  return answers
}

eachDatabase('a write', (test, db) => {
  test.before(() => createWorld(db))

  /** Sends the writes to every world, and returns how many succeed. */
  const tellsNothing = async (list: readonly Write[]): Promise<number> => {
    let succeeded = 0
    const answers = new Map<Write, string>()
    const write = writerIn(db, { variant: full }, bulk)
    for (const one of list) {
      const answer = await write(one)
      ok(!answer.startsWith('5'), `${one.method} ${one.url}\n${answer}`)
      if (answer.startsWith('2')) succeeded++
      answers.set(one, answer)
    }
    for (const [secret, lacking] of Object.entries(secretsOn(db, secrets))) {
      const writeWithout = writerIn(db, lacking, bulk)
      const { world } = lacking
      const expected = world === undefined ? answers : await answersIn(db, world, list)
      for (const one of list) requireAlike(secret, one, expected.get(one), await writeWithout(one))
    }
    return succeeded
  }

  for (const [name, list] of Object.entries({ ...writes, ...lists })) {
    test(`reveals no secret: ${name}`, async () => {
      const succeeded = await tellsNothing(list)
      const refusedAll = ['a hidden column', 'an unpublished relation', 'parameters of a write']
      ok(succeeded > 0 || refusedAll.includes(name), 'no write of this kind succeeds')
    })
  }

  test('reveals no secret: ETags of callers who may know it', async () => {
    await fillWorld(db)
    const etags = new Set<string>()
    for (const key of ['1', '11', '21']) {
      for (const [variant, user] of knowing) {
        const url = `/api/books/${key}?include_deleted=true`
        const api = apiOf(db, variant, user)
        await api.ready
        const { headers } = await api.handle({ method: 'GET', url })
        if (headers.etag !== undefined) etags.add(`${key} ${headers.etag}`)
      }
    }
    // Each book has an ETag for callers who may read the secret column, and another one for the others.
    ok(etags.size >= 6, [...etags].join('\n'))
    const guesses = [...etags].flatMap((one) => {
      const [key = '', etag = ''] = one.split(' ')
      return guessesOf(key, etag)
    })
    ok((await tellsNothing(guesses)) > 0)
  })

  test('reveals by 409 that a key is taken, which no policy can hide', async () => {
    const nobody = (row: Row) => (row.owner_id === 7 && row.deleted === false ? row : null)
    const write = writerIn(db, { variant: full })
    for (const one of taken) ok((await write(one)).startsWith('409'))
    const writeAlone = writerIn(db, { variant: full, change: nobody })
    for (const one of taken) ok((await writeAlone(one)).startsWith('201'))
  })
})
