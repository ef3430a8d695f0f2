// The plans of echoes that come again: what a write answers depends on its query, not on what it writes.

import type { Reach } from '../plan/context.ts'
import type { ReadPlan } from '../plan/plan.ts'
import { recent } from '../prepared/recent.ts'
import type { Resource } from '../registry/resource.ts'

export interface EchoPlans {
  /** The plan of this name, made by `make` unless it is known and the caller may reach what it was made for. */
  get(name: string, reach: Reach, make: (reach: Reach) => ReadPlan): ReadPlan
}

interface Known {
  readonly plan: ReadPlan
  /** What the plan was told of whom the caller may reach; another caller may be told otherwise. */
  readonly reached: ReadonlyMap<Resource, boolean>
}

/** Keeps at most `size` plans. */
export function createEchoPlans(size: number): EchoPlans {
  const all = recent<Known>(size)
  return {
    get(name, reach, make) {
      const known = all.get(name)
      if (known !== undefined && saysTheSame(reach, known.reached)) return known.plan
      const reached = new Map<Resource, boolean>()
      const plan = make((resource) => {
        const answer = reach(resource)
        reached.set(resource, answer)
        return answer
      })
      all.set(name, { plan, reached })
      return plan
    },
  }
}

function saysTheSame(reach: Reach, reached: ReadonlyMap<Resource, boolean>): boolean {
  for (const [resource, answer] of reached) if (reach(resource) !== answer) return false
  return true
}
