/** A request costs time in proportion to its length, and no refusal is longer than twice the request and 16 KiB: at every door, for every shape of text. */
import type { Api, ApiRequest, TextResponse } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import { wrongAnswer } from './answers.ts'
import { type Door, families, openedBy } from './doors.ts'
import { smallestText as n } from './smallest-text.ts'
import { createWorld, restore } from './world.ts'

/** Characters of a text that is small beside what an error says. */
const few = 1000

/** Characters of a text whose square takes long enough to be measured. */
const enough = 3000

/** Doors of one family that are named; those behind them are not looked at. */
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

  test('every key of the configuration that opens a door has one', () => {
    const missing = Object.entries(openedBy).filter(
      ([, family]) => family !== null && families[family] === undefined,
    )
    equal(missing, [])
  })

  test('what grows by the square is named', async () => {
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

/** What is wrong with the answers at a door, in words. */
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
