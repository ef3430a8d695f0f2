// What the statements of one read differ in besides values, as short names of it.

import type { RowPlan, Value } from '../plan/plan.ts'
import { isLimitWritten, keysFirstOffset, type Slice } from './row-query.ts'
import type { Target } from './target.ts'

/** Slices of one form differ in values only; a far page is another statement than a near one. */
export function sliceForm(target: Target, plan: RowPlan, slice: Slice): string {
  const total = slice.total === undefined ? '' : ' with total'
  const limit = isLimitWritten(target, plan, slice) ? ` of ${slice.limit}` : ''
  return `${placeForm(slice)}${total}${limit}`
}

function placeForm({ offset, keyset }: Slice): string {
  if (keyset !== undefined) {
    return keyset.values?.map((value) => (value === null ? '0' : '1')).join('') ?? 'start'
  }
  return offset === 0 ? 'first' : offset >= keysFirstOffset ? 'far' : 'near'
}

/** Lists of keys are padded or bound as one value, so their forms are as few as the powers of two. */
export const keysForm = (keys: readonly (readonly Value[])[]): string =>
  String(keys.length <= 1 ? keys.length : 32 - Math.clz32(keys.length - 1) + 1)
