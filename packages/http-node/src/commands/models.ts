// model-api models: prints the models of a database as TypeScript.

import { printModels } from '@model-api/core/introspect'
import type { CommandIo } from './io.ts'
import {
  describeHeldBack,
  describeLeftOut,
  describeListOnly,
  describeNotes,
  describeSuggestions,
  wrapped,
} from './output/describe.ts'
import { nameOf, type ReadSchemaOptions, readDatabase } from './read-database.ts'

/** Prints the module to stdout and everything else to stderr: `model-api models file > models.ts`. */
export async function models(
  target: string,
  options: ReadSchemaOptions,
  io: CommandIo,
): Promise<void> {
  const database = await readDatabase(target, options, io.err, io.err)
  await database.close()
  const { introspection } = database
  const published = database.models.filter(({ meta }) => meta !== undefined)
  const tables = new Set(published.map(nameOf))
  const names = published.map(({ name }) => name)
  const remarks = [
    '',
    'Published, since they have meta',
    ...wrapped(names.length === 0 ? 'none' : names.join(', ')),
    ...describeListOnly(introspection.listOnly, tables),
    ...describeLeftOut(introspection.leftOut),
    ...describeHeldBack(introspection.heldBack, tables),
    ...describeNotes(introspection.notes),
    ...describeSuggestions(introspection.suggestions),
  ]
  io.out(
    `// The models of ${database.name}. A model is published by its meta; take it away to keep one back.`,
  )
  for (const remark of remarks) io.out(remark === '' ? '//' : `// ${remark}`)
  io.out('')
  io.out(printModels(database.models, introspection).trimEnd())
}
