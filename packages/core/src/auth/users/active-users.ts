// Active users (API_USER_ACTIVE: `{ disabled: false }`, or the name of a method of the user model): whether a stored user may still sign in,
// and whether its tokens and API keys are still accepted. Asked after each look-up of a user.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'
import type { UserCondition } from '../../model/settings/auth/user-active.ts'
import { sameValue } from '../../write/nodes/same-value.ts'

/** Tells active users from others. */
export interface ActiveUsers {
  /** Whether a user is active. Rejects if the method of the user model does. */
  isActive(user: HookRecord): MaybePromise<boolean>
  /** Whether a method of the host decides, which may take so long that the response time tells whether a user exists. */
  readonly isMethod: boolean
  /** The fields by which it is decided, so that a write to them may make a user inactive; all fields if that is unknown. */
  readonly columns: readonly string[]
}

/** Without API_USER_ACTIVE, every stored user is active. */
const always: ActiveUsers = { isActive: () => true, isMethod: false, columns: [] }

/** Returns the check for the condition of API_USER_ACTIVE, which was checked at start-up. */
export function activeUsers(
  condition: UserCondition | undefined,
  resource: Resource,
  callHook: CallHook,
): ActiveUsers {
  if (condition === undefined) return always
  if (typeof condition === 'string') {
    const method = resource.model.methods[condition]
    const name = `method ${condition} of ${resource.name}`
    const ask = async (user: HookRecord) => (await callHook(name, () => method?.(user))) === true
    return { isActive: ask, isMethod: true, columns: [...resource.allColumns.keys()] }
  }
  const expected = Object.entries(condition).map(
    ([name, value]) => [resource.allColumns.get(name), value] as const,
  )
  return {
    isActive: (user) => expected.every(([column, value]) => holds(user, column, value)),
    isMethod: false,
    columns: expected.some(([column]) => column && isDerived(column))
      ? [...resource.allColumns.keys()]
      : Object.keys(condition),
  }
}

/** Whether the database computes the value from other columns. */
const isDerived = ({ computed, definition }: NamedColumn): boolean =>
  computed !== undefined || definition.generated !== undefined

const holds = (user: HookRecord, column: NamedColumn | undefined, value: JsonValue): boolean =>
  column !== undefined && sameValue(column, (user?.[column.name] ?? null) as JsonValue, value)
