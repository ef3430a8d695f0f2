/** Models, checked against each other by type, stay within a number of type instantiations that grows with their number. */
import { rmSync } from 'node:fs'
import { ok } from '../support/assert.ts'
import { budgetFolder, instantiationsOf, programOfModels } from '../support/ring-of-models.ts'
import { suite } from '../support/suite.ts'

const folder = budgetFolder('budget')

/** Instantiations that a model, its rows, its part of a Kysely database and of createApi may cost; all of them are used. */
const budget = 1500

const instantiations = (count: number): number => instantiationsOf(programOfModels(count), folder)

suite('the budget of types', (test) => {
  test(`a model costs at most ${budget} instantiations, however many there are`, () => {
    try {
      const [none = 0, hundred = 0, twice = 0] = [0, 100, 200].map(instantiations)
      // What a program costs that has models at all is counted in the first hundred.
      const cost = (twice - hundred) / 100
      console.log(`${hundred - none} instantiations for 100 models, ${cost} for each further one`)
      ok(cost > 100, `${cost}: nothing was measured`)
      ok(cost <= budget, `${cost} instantiations for each further model, ${budget} are allowed`)
      ok(twice - none <= 2.1 * (hundred - none), `${twice - none} instantiations for 200 models`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
