// --suggest: prints the relations that the names of a database suggest, as a file for --relations.

import type { CommandIo } from './io.ts'
import { type ReadSchemaOptions, readDatabase } from './read-database.ts'
import { relationLine } from './relations-file.ts'

/** Prints the relations to stdout and everything else to stderr: `model-api serve file --suggest all > relations.txt`. */
export async function suggest(
  target: string,
  options: ReadSchemaOptions,
  io: Pick<CommandIo, 'out' | 'err'>,
): Promise<void> {
  const database = await readDatabase(target, options, io.err, io.err)
  await database.close()
  io.out(`# Relations that names of ${database.name} suggest; remove those that are wrong.`)
  for (const relation of database.introspection.suggestions) io.out(relationLine(relation))
}
