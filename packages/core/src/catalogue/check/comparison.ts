// Reads the schema, compares models with it, and describes the differences. `schema-check.ts` loads this file, and all that it imports,
// only for the first comparison, so that a program without one does not parse the code.

import type { Dialect } from '../../dialect/dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { schemaRulesOf } from '../schema-rules-of.ts'
import { type ComparedModel, compareSchema } from './compare-schema.ts'
import { describeDifference, type SchemaDifference } from './describe-difference.ts'
import type { Difference } from './difference.ts'
import { findLacking } from './find-lacking.ts'
import { readSchema } from './read-schema.ts'
import { adviceOf, unindexedKeys } from './unindexed-keys.ts'

/** The largest number of differences in one message. */
const mostInMessage = 50

/** What a comparison finds. */
export interface Compared {
  readonly differences: readonly Difference[]
  /** A warning about tables that agree with their models but lack indexes; undefined if none lacks one. */
  readonly advice: string | undefined
}

/** Returns the function that reads the schema and compares the models with it; undefined if the dialect does not read schemas. */
export function differencesFrom(
  dialect: Pick<Dialect, 'name'>,
  models: readonly ComparedModel[],
): ((db: AnyDatabase) => Promise<Compared>) | undefined {
  const rules = schemaRulesOf(dialect)
  if (rules === undefined) return undefined
  const named = {
    tables: models.flatMap(({ resource }) => [resource, ...junctionsOf(resource)]),
    hasRelations: models.some(({ resource }) => resource.relations.size > 0 || resource.roles),
  }
  return async (db) => {
    const differences: Difference[] = []
    const schema = await readSchema(db, rules, named)
    for (const difference of [
      ...compareSchema(models, schema),
      ...(await findLacking(db, rules, models, schema)),
    ]) {
      if (difference.kind !== 'never filled') {
        differences.push(difference)
        continue
      }
      const mayFill = await rules.mayFill(db, difference)
      // No declaration of a relation can say that the database fills a column of its links.
      if (difference.links === undefined || !mayFill) differences.push({ ...difference, mayFill })
    }
    const unindexed = await unindexedKeys(db, rules, models, schema)
    return { differences, advice: unindexed.length === 0 ? undefined : adviceOf(unindexed) }
  }
}

const junctionsOf = ({ relations }: Resource): readonly TableName[] =>
  [...relations.values()].flatMap(({ through }) => through ?? [])

export const describeDifferences = (
  differences: readonly Difference[],
): readonly SchemaDifference[] => differences.map(describeDifference)

/** Returns the text of a warning or an error about the differences, a line for each of the first 50. */
export function differencesMessage(differences: readonly Difference[]): string {
  const count = differences.length
  const lines = differences
    .slice(0, mostInMessage)
    .map((difference) => `\n- ${describeDifference(difference).message}`)
  const more = count > mostInMessage ? `\n… and ${count - mostInMessage} more.` : ''
  const places = count === 1 ? 'one place' : `${count} places`
  return `The models and the database differ in ${places} (${settingNames.schemaCheck}):${lines.join('')}${more}`
}
