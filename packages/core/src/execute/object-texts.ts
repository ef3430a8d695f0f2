// Objects that the database wrote as text: whether what came can be sent as it is, and how it is read where it cannot.

import { cellOf, type RawRow } from '../compile/cell.ts'
import type { CheckedObject, ReadStatements } from '../compile/read-statements.ts'

/** Whether every object has the form that was promised; so where none was written. */
export function fitObjects(
  { object }: { readonly object?: CheckedObject | undefined },
  raws: readonly RawRow[],
): boolean {
  if (object === undefined) return true
  const { place, fits } = object
  for (const raw of raws) if (!fits(cellOf(raw, place))) return false
  return true
}

/** The statements that read the same as values. */
export function withValues(statements: ReadStatements): ReadStatements {
  if (statements.withValues === undefined) throw new Error('these statements read values already')
  return statements.withValues()
}
