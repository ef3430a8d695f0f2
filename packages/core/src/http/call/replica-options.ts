// Checks the `replicas` of createApi: instances of the same dialect as the primary, with what API_READ_YOUR_WRITES requires.

import { detectDialect } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { ReadYourWrites } from '../../model/settings/config.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { Problems } from '../../model/settings/setting-problems.ts'
import { isInstance, schemaPluginProblem } from './session.ts'

/** The options of createApi that concern replicas. */
export interface ReplicaOptions {
  /** Undefined if the option is missing. */
  readonly replicas: readonly AnyDatabase[] | undefined
  readonly schema: string | undefined
  /** The dialect of the primary. */
  readonly dialect: InternalDialect
  /** The `dialect` option; undefined if the dialect is detected. */
  readonly named: string | InternalDialect | undefined
  readonly readYourWrites: ReadYourWrites
}

/** Returns the replicas to read from; reports each invalid one as a problem. */
export function checkedReplicas(
  { replicas, schema, dialect, named, readYourWrites }: ReplicaOptions,
  problems: Problems,
): readonly AnyDatabase[] {
  if (readYourWrites !== 'off') {
    const problem = positionsProblem(replicas, dialect)
    if (problem !== undefined) problems.add(`config.${settingNames.readYourWrites}`, problem)
  }
  if (replicas === undefined) return []
  if (!Array.isArray(replicas)) {
    problems.add('replicas', 'expected a list of Kysely instances.')
    return []
  }
  replicas.forEach((replica, i) => {
    const problem = replicaProblem(replica, schema) ?? kindProblem(replica, dialect, named)
    if (problem !== undefined) problems.add(`replicas[${i}]`, problem)
  })
  return replicas
}

function positionsProblem(
  replicas: readonly AnyDatabase[] | undefined,
  { name, server }: InternalDialect,
): string | undefined {
  if (replicas === undefined) {
    return 'needs replicas, and there are none. Pass createApi({ replicas: [replica] }), or an empty list.'
  }
  return server?.replication === undefined && replicas.length > 0
    ? `needs a database that reports its log position; a database of the kind "${name}" does not.`
    : undefined
}

function replicaProblem(replica: unknown, schema: string | undefined): string | undefined {
  if (!isInstance(replica)) return 'expected a Kysely instance.'
  if (replica.isTransaction) return 'is a transaction; expected the instance of a pool.'
  return schemaPluginProblem('It', replica, schema)
}

function kindProblem(
  replica: AnyDatabase,
  dialect: InternalDialect,
  named: string | InternalDialect | undefined,
): string | undefined {
  const { name } = detectDialect(replica, named)
  return name === dialect.name
    ? undefined
    : `is a database of the kind "${name}", and \`db\` one of the kind "${dialect.name}".`
}
