/**
 * The cost of a request grows in proportion to its length, and no refusal is longer than twice the request plus 16 KiB: at
 * every door, for every shape of text.
 */
import type { Api, ApiRequest, TextResponse } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import { wrongAnswer } from './answers.ts'
import { type Door, families, openedBy } from './doors.ts'
import { smallestText as n } from './smallest-text.ts'
import { createWorld, restore } from './world.ts'

/** The length of a text that is short compared with an error. */
const few = 1000

/** The length of a text whose quadratic cost is long enough to be measured. */
const enough = 6000

/** The number of problems of a family after which its test stops. */
const mostNamed = 5

suite('growth', (test) => {
  const db = everyDatabase().find(({ name }) => name === 'sqlite')
  if (db === undefined) throw new Error('SQLite is part of the tests')
  let api: Api
  test.before(async () => {
    api = await createWorld(db)
  })
  test.after(() => db.close())

  for (const [family, doorsOf] of Object.entries(families)) {
    test(family, async () => {
      const wrong: string[] = []
      for (const door of await doorsOf(api)) {
        wrong.push(...(await wrongAt(api, door)))
        if (wrong.length >= mostNamed) break
      }
      await restore(db)
      equal(wrong, [])
    })
  }

  test('every setting that enables a kind of request has a case', () => {
    const missing = Object.entries(openedBy).filter(
      ([, family]) => family !== null && families[family] === undefined,
    )
    equal(missing, [])
  })

  test('quadratic growth is reported', async () => {
    const zerosAtTheEnd = (size: number) => {
      const text = `1.${'0'.repeat(size)}1`
      return () => /0+$/.test(text)
    }
    ok((await steepness(enough, zerosAtTheEnd)) !== undefined)
    const zerosAtTheBeginning = (size: number) => {
      const text = `${'0'.repeat(size)}1`
      return () => /^0+$/.test(text)
    }
    equal(await steepness(enough, zerosAtTheBeginning), undefined)
  })
})

/** Describes what is wrong with the responses at a door. */
async function wrongAt(api: Api, door: Door): Promise<readonly string[]> {
  const answers: { readonly request: ApiRequest; readonly answer: TextResponse }[] = []
  const send = (size: number) => {
    const request = door.request(size)
    return async () => void answers.push({ request, answer: await api.answer(request) })
  }
  const steep = await steepness(door.n ?? n, send)
  await send(Math.min(few, door.n ?? few))()
  const others = answers.filter(({ answer }) => answer.status !== (door.status ?? answer.status))
  const unexpected = others.map(({ answer }) => `answers ${answer.status}: ${answer.text}`)
  const oversized = answers.flatMap(({ request, answer }) => wrongAnswer(request, answer) ?? [])
  const grows = steep === undefined ? [] : [`grows: ${steep}`]
  return [...grows, ...unexpected.slice(0, 1), ...new Set(oversized)].map(
    (what) => `${door.name} ${what}`,
  )
}
