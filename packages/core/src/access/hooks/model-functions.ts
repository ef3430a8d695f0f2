// How a write calls the functions of models that check or give values: validators, transforms, defaults and soft-delete values.

import type { Connections } from '../../database/connections.ts'
import type { Clock } from '../../lib/clock.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { takenBack } from '../../model/hooks/call-hook.ts'
import { withPasswordCost } from '../../model/hooks/password-cost-of-args.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { TransformHost } from '../../write/body/transform.ts'
import type { ValidatorHost } from '../../write/body/validators.ts'
import type { ValueSources } from '../../write/store/write-context.ts'
import { hookCallerOf, recordArgs } from '../hook-args.ts'
import { mayAct } from '../reach.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { atRecord } from './at-record.ts'
import type { HookCall } from './hook-call.ts'

/** What calling the functions of models needs of a request. */
interface WritingCall extends HookCall, RoutedRequest {
  readonly runtime: HookCall['runtime'] & {
    readonly database: Pick<Connections, 'dialect'>
    readonly clock: Clock
    readonly settings: Pick<ApiSettings, 'auth'>
  }
  /** A function of this request alone. */
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
        toldTimes.set(call.stamp, now)
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

/** How the `transform` functions of the models are called, and when not. */
export const transformHost = (call: WritingCall): TransformHost => ({
  ...validatorHost(call),
  args: (resource, before) =>
    andThen(validatorHost(call).args(resource, before), (args) =>
      withPasswordCost(args, call.runtime.settings.auth.passwordCost),
    ),
  mayCreate: (resource) => mayAct(resource, 'POST', call.caller),
  mayChange: (resource) => mayAct(resource, 'PATCH', call.caller),
  isClientGone: () => call.request.signal?.aborted === true,
  atRecord,
})

/** The time of a request, if a validator has received it before the write began; by the `stamp` of the request, which no other one has. */
const toldTimes = new WeakMap<WritingCall['stamp'], string>()

/** Gives the time, UUIDs and function defaults to a write. The time is read on first use, and is the same for the whole write. */
export function valueSourcesOf(call: WritingCall): ValueSources {
  const { clock } = call.runtime
  let now: string | undefined
  return {
    now: () => {
      now ??= toldTimes.get(call.stamp) ?? new Date(clock.now()).toISOString()
      return now
    },
    uuid: () => crypto.randomUUID(),
    defaultOf(resource, column, make) {
      const name = `default of ${resource.name}.${column.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource)))
      return andThen(made, (value) => takenBack(name, value))
    },
    deletedValueOf(resource, make, stored) {
      const name = `soft-delete value of ${resource.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource, stored)))
      return andThen(made, (value) => takenBack(name, value))
    },
  }
}
