/** The cost of a call of `api.as` grows in proportion to what it is given, and no error is longer than twice that plus 16 KiB. */
import type { Api } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import { smallestText } from './smallest-text.ts'
import { createWorld, restore } from './world.ts'

interface Told {
  readonly ok: boolean
  readonly status: number
  readonly error?: { readonly message: string; readonly problems?: unknown }
}
type Call = PromiseLike<Told>
type Collection = Readonly<
  Record<'list' | 'get' | 'create' | 'createMany' | 'update', (...given: unknown[]) => Call>
>
interface Client {
  readonly things: Collection
  readonly sinks: Collection
  readonly marks: Collection
  readonly batch: (calls: readonly Call[]) => Call
}

/** A call, which is given a text or a list of this size. */
interface Way {
  /** The smallest size. Default: that of texts. */
  readonly n?: number
  readonly status: number
  readonly given: (size: number) => unknown
  readonly call: (client: Client, given: never) => Call
}

const text = (size: number): string => 'é"\\ '.repeat(size / 4)
/** A name; the client itself refuses those of other characters. */
const name = (size: number): string => 'x'.repeat(size)
const numbers = (size: number): readonly number[] => Array.from({ length: size }, (_, i) => i + 1)
const way = <T>(
  status: number,
  given: (size: number) => T,
  call: (client: Client, given: T) => Call,
  n?: number,
): Way => ({ status, given, call, ...(n === undefined ? {} : { n }) })

const ways: Readonly<Record<string, Way>> = {
  'a value of a condition': way(200, text, ({ things }, value) =>
    things.list({ where: { a_text: { eq: value } } }),
  ),
  'a value of a wrong type': way(400, text, ({ things }, value) =>
    things.list({ where: { id: { eq: value } } }),
  ),
  'an unknown column of a condition': way(400, name, ({ things }, unknown) =>
    things.list({ where: { [unknown]: { eq: 1 } } }),
  ),
  'a list of a condition': way(
    200,
    numbers,
    ({ things }, keys) => things.list({ where: { id: { in: keys } }, fields: ['id'] }),
    1000,
  ),
  'unknown fields': way(400, name, ({ things }, unknown) => things.list({ fields: [unknown] })),
  'an unknown order': way(400, name, ({ things }, unknown) => things.list({ orderBy: [unknown] })),
  'a search': way(200, text, ({ marks }, words) =>
    marks.list({ search: words.slice(0, 100), where: { name: { eq: words } } }),
  ),
  'a key': way(404, text, ({ things }, key) => things.get(key)),
  'a text of a body': way(201, text, ({ sinks }, value) => sinks.create({ a_text: value })),
  'an unknown field of a body': way(400, name, ({ sinks }, unknown) =>
    sinks.update(1, { [unknown]: 1 }),
  ),
  'wrong records': way(
    400,
    (size) => numbers(size).map(() => ({ id: 'x', no: 1 })),
    ({ sinks }, records) => sinks.createMany(records),
    1000,
  ),
  records: way(
    201,
    (size) => numbers(size).map(() => ({ name: 'x' })),
    ({ marks }, records) => marks.createMany(records),
    1000,
  ),
  'calls of a batch': way(
    200,
    numbers,
    (client, keys) => client.batch(keys.map((key) => client.marks.create({ name: `${key}` }))),
    200,
  ),
}

suite('growth of calls in the process', (test) => {
  const db = everyDatabase().find(({ name }) => name === 'sqlite')
  if (db === undefined) throw new Error('SQLite is part of the tests')
  let api: Api
  test.before(async () => {
    api = await createWorld(db)
  })
  test.after(() => db.close())

  for (const [name, { n = smallestText, status, given, call }] of Object.entries(ways)) {
    test(name, async () => {
      const client = api.as('system') as unknown as Client
      const wrong: string[] = []
      const steep = await steepness(n, (size) => {
        const value = given(size - (size % 4))
        return async () => {
          const told = await call(client, value as never)
          if (told.status !== status) wrong.push(`${told.status} ${told.error?.message}`)
          const length = JSON.stringify([told.error?.message, told.error?.problems]).length
          const asked = JSON.stringify(value).length
          if (!told.ok && length > 2 * asked + 16_384) wrong.push(`${asked} bytes give ${length}`)
        }
      })
      await restore(db)
      equal([steep, wrong.map((one) => one.slice(0, 200)).slice(0, 3)], [undefined, []])
    })
  }
})
