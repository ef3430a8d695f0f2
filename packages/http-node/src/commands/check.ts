// model-api check: compares the models of an application's API with its database, for use in deployments and continuous integration.

import { withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'
import { databaseFailure, reportedFailure } from './output/failure.ts'

/**
 * Prints the differences, and ends with exit code 1 if there are any. A warning about foreign keys without an index does not change the
 * exit code.
 */
export async function check(path: string, io: Pick<CommandIo, 'out'>): Promise<void> {
  const count = await withExportedApi(path, async (api) => {
    const failed = (error: unknown): never => {
      throw new Error(databaseFailure(`the database of ${path}`, error))
    }
    const differences = await api.schemaDifferences().catch(failed)
    const advice = await api.schemaAdvice().catch(failed)
    if (advice !== undefined) io.out(advice)
    for (const { message } of differences) io.out(`- ${message}`)
    return differences.length
  })
  if (count === 0) return io.out('The models agree with the database.')
  io.out(count === 1 ? '1 difference.' : `${count} differences.`)
  throw reportedFailure(1)
}
