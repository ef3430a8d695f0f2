// model-api models: prints the models of a database as TypeScript.

import { printModels } from '@model-api/core/introspect'
import { describeLeftOut, describeNotes } from '../describe.ts'
import type { CommandIo } from './io.ts'
import { type ReadSchemaOptions, readDatabase } from './read-database.ts'

/** The module goes to the output, everything else to the error stream: `model-api models file > models.ts`. */
export async function models(
  target: string,
  options: ReadSchemaOptions,
  io: CommandIo,
): Promise<void> {
  const database = await readDatabase(target, options, io.err)
  await database.close()
  const { introspection } = database
  const remarks = [...describeLeftOut(introspection.leftOut), ...describeNotes(introspection.notes)]
  io.out(
    `// The models of ${database.name}. A model is published by its meta; take it away to keep one back.`,
  )
  for (const remark of remarks) io.out(remark === '' ? '//' : `// ${remark}`)
  io.out('')
  io.out(printModels(database.models).trimEnd())
}
