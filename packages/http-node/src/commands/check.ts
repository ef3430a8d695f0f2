// model-api check: compares the models of an application's API with its database, for use in deployments and continuous integration.

import { databaseFailure, reportedFailure } from '../failure.ts'
import { withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'

/** Prints the differences, and ends with exit code 1 if there are any. */
export async function check(path: string, io: Pick<CommandIo, 'out'>): Promise<void> {
  const count = await withExportedApi(path, async (api) => {
    const differences = await api.schemaDifferences().catch((error: unknown) => {
      throw new Error(databaseFailure(`the database of ${path}`, error))
    })
    for (const { message } of differences) io.out(`- ${message}`)
    return differences.length
  })
  if (count === 0) return io.out('The models agree with the database.')
  io.out(count === 1 ? '1 difference.' : `${count} differences.`)
  throw reportedFailure(1)
}
