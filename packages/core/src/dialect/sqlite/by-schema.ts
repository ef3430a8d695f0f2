// The tables of each attached database, whose schema has a catalogue of its own.

import type { DialectTable } from '../dialect.ts'
import { grouped } from '../shared/catalogue.ts'

/** Tables by the name of their attached database; those without a schema are taken for tables of `main`. */
export const bySchema = (
  tables: readonly DialectTable[],
): ReadonlyMap<string, readonly DialectTable[]> => grouped(tables, ({ schema }) => schema ?? 'main')
