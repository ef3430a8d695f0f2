// Short names that distinguish the statements of one read, apart from their values; they are part of the statements' cache keys.

import type { RowPlan, Value } from '../plan/plan.ts'
import { isLimitLiteral, keysFirstOffset, type Slice } from './row-query.ts'
import type { Target } from './target.ts'

/** Names a slice: slices with the same name differ only in values. Pages from `keysFirstOffset` on have another statement than earlier ones. */
export function sliceForm(target: Target, plan: RowPlan, slice: Slice): string {
  const total = slice.total === undefined ? '' : ' with total'
  const limit = isLimitLiteral(target, plan, slice) ? ` of ${slice.limit}` : ''
  return `${positionForm(slice)}${total}${limit}`
}

function positionForm({ offset, keyset }: Slice): string {
  if (keyset !== undefined) {
    return keyset.values?.map((value) => (value === null ? '0' : '1')).join('') ?? 'start'
  }
  return offset === 0 ? 'first' : offset >= keysFirstOffset ? 'keys first' : 'offset'
}

/** Names the length of a list of keys. Lists are padded to a power of two or bound as one parameter, so the exponent suffices. */
export const keysForm = (keys: readonly (readonly Value[])[]): string =>
  String(keys.length <= 1 ? keys.length : 32 - Math.clz32(keys.length - 1) + 1)
