/** Type-checking models against each other takes a number of type instantiations in proportion to the number of models. */
import { rmSync } from 'node:fs'
import { ok } from '../support/assert.ts'
import {
  budgetFolder,
  instantiationsOf,
  programOfModels,
  typedByUser,
} from '../support/ring-of-models.ts'
import { suite } from '../support/suite.ts'

const folder = budgetFolder('budget')

/** The most instantiations for a model, its rows, its part of a Kysely database and of createApi; a typed user adds some. */
const budgets = { defineModel: 1525, modelsFor: 1585 }

/** A program with a number of models; `modelsFor` types their users. */
const programs = {
  defineModel: programOfModels,
  modelsFor: (count: number) => typedByUser(programOfModels(count)),
}

suite('the type instantiation budget', (test) => {
  test.after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, budget] of Object.entries(budgets)) {
    const program = programs[name as keyof typeof programs]
    test(`a model with ${name} needs at most ${budget} instantiations, for any number of models`, () => {
      const [none = 0, hundred = 0, twice = 0] = [0, 100, 200].map((count) =>
        instantiationsOf(program(count), folder),
      )
      // The costs of any program with models are included in the first hundred.
      const cost = (twice - hundred) / 100
      console.log(`${hundred - none} instantiations for 100 models, ${cost} for each further one`)
      ok(cost > 100, `${cost}: nothing was measured`)
      ok(cost <= budget, `${cost} instantiations for each further model, ${budget} are allowed`)
      ok(twice - none <= 2.1 * (hundred - none), `${twice - none} instantiations for 200 models`)
    })
  }
})
