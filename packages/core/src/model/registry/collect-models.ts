// Collects the declared models by name at start-up: those of the option `models` and those of the base model (API_BASE_MODEL), with or without
// meta.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { type AnyModel, type BaseModel, modelOptions } from '../define-model.ts'
import { settingNames } from '../settings/setting-names.ts'
import type { Problems } from '../settings/setting-problems.ts'

/** Returns every declared model by name, listed ones first; reports two models with the same name. */
export function collectModels(
  listed: readonly AnyModel[],
  base: BaseModel | undefined,
  problems: Problems,
): Map<string, AnyModel> {
  const models = new Map<string, AnyModel>()
  if (!Array.isArray(listed)) {
    problems.add('models', 'expected a list of models.')
    return models
  }
  const inherited: readonly AnyModel[] = base?.models ?? []
  if (!Array.isArray(inherited) || (base !== undefined && base.models === undefined)) {
    problems.add(`config.${settingNames.baseModel}`, 'expected what defineBase returns.')
    return models
  }
  for (const [index, model] of [...listed, ...inherited].entries()) {
    if (!isModel(model)) {
      problems.add(`models[${index}]`, 'expected what defineModel returns.')
      continue
    }
    checkOptions(model, problems)
    const other = models.get(model.name)
    if (other !== undefined && other !== model) {
      problems.add(
        `models.${model.name}`,
        `two models have this name. Rename one, and keep its table with table: '${model.table}'; if they are meant to be one model, define it once.`,
      )
    }
    models.set(model.name, other ?? model)
  }
  return models
}

/** Reports the options that no model has. */
function checkOptions(model: AnyModel, problems: Problems): void {
  const known = Object.keys(modelOptions)
  for (const [option, value] of Object.entries(model)) {
    if (value === undefined || known.includes(option)) continue
    const options = known.filter((name) => name !== 'name')
    problems.add(`models.${model.name}.${option}`, `unknown option.${didYouMean(option, options)}`)
  }
}

/** Whether the value has what `defineModel` gives each model; models of programs without TypeScript may be anything. */
const isModel = (model: AnyModel): boolean =>
  typeof model?.name === 'string' &&
  typeof model.table === 'string' &&
  [model.columns, model.relations, model.computed, model.aggregates].every(
    (part) => typeof part === 'object',
  )
