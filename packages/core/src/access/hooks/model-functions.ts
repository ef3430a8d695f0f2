// The functions of models that check or give values (`validate`, `transform`, `default`, the value of a soft delete), as a write calls
// them. Transforms and most validators run before the transaction of a write; defaults, soft-delete values and validators that need the
// stored record run inside it.

import type { Connections } from '../../database/connections.ts'
import type { Clock } from '../../lib/clock.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { returnedCopy } from '../../model/hooks/call-hook.ts'
import { withPasswordCost } from '../../model/hooks/password-cost-of-args.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { TransformHost } from '../../write/body/transform.ts'
import type { ValidatorHost } from '../../write/body/validators.ts'
import type { ValueSources } from '../../write/store/write-context.ts'
import { hasPermission } from '../reach.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { atRecord } from './at-record.ts'
import { hookCallerOf, recordArgs } from './hook-args.ts'
import type { HookCall, HookRuntime } from './hook-call.ts'

/** What calling the functions of models needs of a request. */
interface WritingCall extends HookCall, RoutedRequest {
  readonly runtime: HookRuntime & {
    readonly database: Pick<Connections, 'dialect'>
    readonly clock: Clock
    readonly settings: Pick<ApiSettings, 'auth'>
  }
  /** `Call.stamp`, a function that no other request has; copies of the call keep it, so that it identifies the request. */
  readonly stamp: () => unknown
}

/** The arguments of the models' validators. API_SESSION_GETTER is called before the first of them. */
export function validatorHost(call: WritingCall): ValidatorHost {
  const { transaction, runtime, request } = call
  const sources = valueSourcesOf(call)
  return {
    callHook: hookCallerOf(call),
    sources: {
      ...sources,
      now() {
        const now = sources.now()
        timesSeenByValidators.set(call.stamp, now)
        return now
      },
    },
    args: (resource, before) =>
      andThen(transaction ?? runtime.database.session(request), () =>
        recordArgs(call, resource, before),
      ),
    dialect: () =>
      andThen(transaction ?? runtime.database.session(request), (db) =>
        runtime.database.dialect(withoutPlugins(db)),
      ),
  }
}

/**
 * What calling the `transform` functions needs. None is called for a nested record that the caller may not create or change, nor after the
 * client has disconnected, because a transform such as `hashPassword` is slow.
 */
export const transformHost = (call: WritingCall): TransformHost => ({
  ...validatorHost(call),
  args: (resource, before) =>
    andThen(validatorHost(call).args(resource, before), (args) =>
      withPasswordCost(args, call.runtime.settings.auth.passwordCost),
    ),
  mayCreate: (resource) => hasPermission(resource, 'POST', call.caller),
  mayChange: (resource) => hasPermission(resource, 'PATCH', call.caller),
  isClientGone: () => call.request.signal?.aborted === true,
  atRecord,
})

/** The time that a validator of a request has seen, by the request's `stamp`: the write that follows stores the same time. */
const timesSeenByValidators = new WeakMap<WritingCall['stamp'], string>()

/** Gives the time, UUIDs and function defaults to a write. The time is read on first use, and is the same for the whole write. */
export function valueSourcesOf(call: WritingCall): ValueSources {
  const { clock } = call.runtime
  let now: string | undefined
  return {
    now: () => {
      now ??= timesSeenByValidators.get(call.stamp) ?? new Date(clock.now()).toISOString()
      return now
    },
    uuid: () => crypto.randomUUID(),
    defaultOf(resource, column, make) {
      const name = `default of ${resource.name}.${column.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource)))
      return andThen(made, (value) => returnedCopy(name, value))
    },
    deletedValueOf(resource, make, stored) {
      const name = `soft-delete value of ${resource.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource, stored)))
      return andThen(made, (value) => returnedCopy(name, value))
    },
  }
}
