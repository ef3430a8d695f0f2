/** A typed client takes type instantiations in proportion to the models and calls of a program. */
import { rmSync } from 'node:fs'
import { ok } from '../support/assert.ts'
import { budgetFolder, instantiationsOf, ringOfModels } from '../support/ring-of-models.ts'
import { suite } from '../support/suite.ts'

const folder = budgetFolder('client-budget')

/** The most instantiations for each model of a client with this call for each collection. */
const calls = [
  { call: `list({ where: { price: { gt: '1' } } })`, budget: 2100 },
  { call: 'list({ include: { before: { limit: 3 } } })', budget: 2100 },
  { call: `list({ fields: ['name', 'next.name', 'next.self.name'] })`, budget: 2100 },
  {
    call: `list({ aggregate: { n: { count: 'before' }, m: { max: 'next.before.price', where: { state: 'done' } } }, orderBy: ['-n'] })`,
    budget: 3300,
  },
] as const

/** Without a call: an API of the models, without a client. */
function program(count: number, call?: string): string {
  const models = ringOfModels(count)
  const names = models.map((_, i) => `Model${i}`)
  const uses = names.map((_, i) => `void client.model${i}s.${call}`)
  const client = `export const client = createClient<typeof api>('/api')\n${uses.join('\n')}`
  return `import { createApi, defineModel, belongsTo, hasMany } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import type { Kysely } from 'kysely'
${models.join('\n')}
declare const db: Kysely<unknown>
export const api = createApi({ db, models: [${names.join(', ')}], config: { API_ALLOW_JOIN: true } })
${call === undefined ? '' : client}
void [belongsTo, hasMany, defineModel, createClient]
`
}

suite('the type instantiation budget of a client', (test) => {
  test.after(() => rmSync(folder, { recursive: true, force: true }))

  const counts = [50, 100]
  let without: readonly number[] = []
  test.before(() => {
    without = counts.map((count) => instantiationsOf(program(count), folder))
  })

  for (const { call, budget } of calls) {
    test(`${call}: at most ${budget} instantiations per model, for any number of models`, () => {
      const [half = 0, whole = 0] = counts.map((count, i) => {
        const all = instantiationsOf(program(count, call), folder)
        return (all - (without[i] ?? 0)) / count
      })
      console.log(`${Math.round(whole)} instantiations a model`)
      ok(whole > 50, `${whole}: nothing was measured`)
      ok(whole <= budget, `${whole} a model`)
      ok(whole <= 1.05 * half, `${half} a model of 50, ${whole} of 100`)
    })
  }
})
