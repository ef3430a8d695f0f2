/** Random queries on small random data: every response equals that of a simple in-memory model. */
import type { Api } from '@model-api/core'
import fc from 'fast-check'
import { get } from '../support/api.ts'
import { diffLines } from '../support/diff.ts'
import { batches, check } from '../support/property.ts'
import { answerText, urlOf } from '../support/reference/answer.ts'
import {
  decodeQuery,
  describeWorld,
  queryParts,
  worlds,
  worldsWithSpecialFloats,
} from '../support/reference/arbitrary.ts'
import {
  createWorldTables,
  loadWorld,
  storeInOtherForms,
  worldApis,
} from '../support/reference/database.ts'
import type { World } from '../support/reference/rows.ts'
import { eachDatabase } from '../support/suite.ts'

const runs = { sqlite: 200, postgres: 50, mysql: 50 }
const queriesPerWorld = 12

const casesOf = (of: fc.Arbitrary<World>) =>
  fc
    .record({
      world: of,
      parts: fc.array(queryParts, { minLength: 1, maxLength: queriesPerWorld, size: 'max' }),
    })
    .map(({ world, parts }) => ({ world, asked: parts.map((part) => decodeQuery(world, part)) }))

const cases = casesOf(worlds)

eachDatabase('differential', (test, db) => {
  let apis: ReadonlyMap<number | undefined, Api>
  test.before(async () => {
    await createWorldTables(db)
    apis = worldApis(db)
  })
  batches(test, 'answers equal the model', runs[db.name], (parameters) =>
    check(cases, parameters, async ({ world, asked }) => {
      await loadWorld(db, world)
      return firstDifference(apis, world, asked)
    }),
  )

  if (db.name === 'postgres') {
    batches(test, 'answers equal the model, also of NaN and infinities', 50, (parameters) =>
      check(casesOf(worldsWithSpecialFloats), parameters, async ({ world, asked }) => {
        await loadWorld(db, world)
        return firstDifference(apis, world, asked)
      }),
    )
  }

  if (db.name !== 'sqlite') return
  batches(test, 'answers equal the model, whatever form values are stored in', 50, (parameters) =>
    check(cases, parameters, async ({ world, asked }) => {
      await loadWorld(db, world)
      await storeInOtherForms(db)
      // An API determines the stored forms of indexed columns when it starts.
      return firstDifference(worldApis(db), world, asked)
    }),
  )

  async function firstDifference(
    apisByDepth: ReadonlyMap<number | undefined, Api>,
    world: World,
    asked: readonly Asked[],
  ): Promise<string | undefined> {
    for (const { query, depth } of asked) {
      const url = urlOf(world, query)
      const expected = answerText(world, query, depth)
      const answer = await get(apisByDepth.get(depth) as Api, url)
      if (answer.text === expected) continue
      const depthText = depth === undefined ? '' : `  (API_SERIALIZATION_DEPTH ${depth})`
      return [
        `GET ${decodeURIComponent(url)}${depthText}`,
        `    ${url}`,
        describeWorld(world),
        `${db.name} (+) differs from the model (-):`,
        diffLines(pretty(expected), pretty(answer.text)),
      ].join('\n')
    }
    return undefined
  }
})

type Asked = ReturnType<typeof decodeQuery>

const pretty = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 1)
