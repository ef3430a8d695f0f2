// Short names for the statements of one read, of which `read-program.ts` makes their cache keys: `rows first with total`,
// `embed .books 4`. Statements with the same name differ only in values.

import { paddedLength } from '../../dialect/shared/sql/sql-parts.ts'
import type { RowPlan, Value } from '../plan/plan.ts'
import { isLimitLiteral, keysFirstOffset, type Slice } from './rows/row-query.ts'
import type { Target } from './target.ts'

/** Names a slice. Pages from `keysFirstOffset` on have another name than earlier pages, because their statement selects the keys first. */
export function sliceForm(target: Target, plan: RowPlan, slice: Slice): string {
  const total = slice.total === undefined ? '' : ' with total'
  const limit = isLimitLiteral(target, plan, slice) ? ` of ${slice.limit}` : ''
  return `${positionForm(slice)}${total}${limit}`
}

/** Names where a page begins. Beyond a cursor, with a digit for each of its values: 0 for NULL, because the condition on NULL has other SQL. */
function positionForm({ offset, keyset }: Slice): string {
  if (keyset !== undefined) {
    return keyset.values?.map((value) => (value === null ? '0' : '1')).join('') ?? 'start'
  }
  return offset === 0 ? 'first' : offset >= keysFirstOffset ? 'keys first' : 'offset'
}

/** Names the length of a list of keys: lists of the same name are padded to the same length, or are one parameter. */
export const keysForm = (keys: readonly (readonly Value[])[]): string =>
  String(paddedLength(keys.length))
