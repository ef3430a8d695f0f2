// isCollated: whether a primary key may have several spellings, so that `keyText` does not tell whether two keys name the same record.

import type { Resource } from '../../model/registry/resource.ts'

/** Whether the key has a collation, under which keys that differ in case may be equal. */
export const isCollated = ({ primaryKey }: Resource): boolean =>
  primaryKey.some(({ collation }) => collation !== undefined)
