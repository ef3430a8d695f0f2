// RuledRecords: collects the records that a write has stored, as far as they may overlap others (the rules in `exclude` of their model).
// `check/overlaps.ts` checks them at the end of the write.

import type { Exclusion, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'

/** Whether a change may concern a rule: because it sets a column of it, or because the database sets one. */
export function mayConcernRule(
  resource: Resource,
  rule: Exclusion,
  before: Values | null,
  after: Values,
): boolean {
  if (before === null || rule.followsOthers) return true
  for (const name of rule.reads) {
    const [old, value] = [before[name], after[name]]
    if (value === undefined) continue
    const column = resource.allColumns.get(name)
    if (old === undefined || column === undefined || !sameValue(column, value, old)) return true
  }
  return false
}

/** A stored record whose rules are checked at the end. */
export interface RuledRecord {
  readonly key: readonly Value[]
  readonly path: string
}

/** Keys of records to lock, of which at least one had no record. */
interface NotLocked {
  readonly parent: ResolvedRelation
  readonly keys: readonly (readonly Value[])[]
}

/** The records that a write has stored, as far as a rule may no longer hold for them; `WriteContext.ruled`. */
export class RuledRecords {
  readonly #byRule = new Map<Exclusion, { resource: Resource; records: Map<string, RuledRecord> }>()
  /** What has to be locked at the end, because it was missing before the records were stored. */
  readonly notLocked: NotLocked[] = []

  /** Notes a record that a statement has written. The parameters are those of `ChangeLog.note`. */
  note(resource: Resource, before: Values | null, after: Values, path: string | null): void {
    for (const rule of resource.exclusions) {
      if (!mayConcernRule(resource, rule, before, after)) continue
      const key = keyFromRow(resource.primaryKey, after)
      if (key === undefined) throw new Error(`A ${resource.name} without a key was written.`)
      const known = this.#byRule.get(rule) ?? {
        resource,
        records: new Map<string, RuledRecord>(),
      }
      this.#byRule.set(rule, known)
      known.records.set(keyText(key), { key, path: path ?? '' })
    }
  }

  /** The noted records of each rule, by `keyText`. */
  get byRule(): ReadonlyMap<
    Exclusion,
    { readonly resource: Resource; readonly records: ReadonlyMap<string, RuledRecord> }
  > {
    return this.#byRule
  }
}
