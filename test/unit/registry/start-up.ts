/** The start-up errors of createApi: every problem of a set of models and a configuration, as lines. */

import { type AnyModel, defineModel } from '../../../packages/core/src/model/define-model.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { Resource } from '../../../packages/core/src/model/registry/resource.ts'
import type { ApiConfig } from '../../../packages/core/src/model/settings/config.ts'
import { fail } from '../../support/assert.ts'

/** The lines of the error without the first one; none if the API starts. */
export function problemsOf(options: Parameters<typeof buildRegistry>[0]): string[] {
  try {
    buildRegistry(options)
    return []
  } catch (error) {
    const [first, ...lines] = (error as Error).message.split('\n')
    if (first !== 'The API cannot start:') throw error
    return lines
  }
}

/** A published model with a key; the definition is not type-checked. */
export function model(name: string, definition: Record<string, unknown> = {}): AnyModel {
  const { columns, ...others } = definition as { columns?: object }
  const id = { type: 'integer', primaryKey: true }
  return defineModel(name, { columns: { id, ...columns }, meta: {}, ...others } as never)
}

/** One resource of a valid registry. */
export function resourceOf(
  name: string,
  models: readonly AnyModel[],
  config: ApiConfig = {},
): Resource {
  return (
    buildRegistry({ models, config }).registry.byName.get(name) ?? fail(`${name} is not published`)
  )
}
