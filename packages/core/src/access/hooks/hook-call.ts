// HookCall: the part of a request (`http/call/call.ts`) that calling its hooks and policies needs. Types only.

import type { Connections } from '../../database/connections.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookClient } from '../../model/settings/access/hook-types.ts'
import type { SqlValues } from '../../model/settings/access/sql-value-types.ts'
import type { Policies } from '../policies/policy.ts'
import type { Caller } from '../roles/roles.ts'
import type { HostFunctions } from './host-functions.ts'

/** Makes the clients of `args.as`; `client-in-process.ts` implements it. */
export interface ClientInHook {
  /**
   * Makes the client behind `args.as.user` ('caller') or `args.as.system` ('system'), which sends further requests to this API. `hooks`
   * names the hooks that receive it, such as `POST of Book`, for an error.
   */
  clientInHook(call: HookCall, as: 'caller' | 'system', hooks: string): HookClient
}

/** The parts of the Runtime (what all requests of an API share) that calling hooks needs. */
export interface HookRuntime {
  readonly host: Pick<HostFunctions, 'callHook' | 'callHookOn' | 'report'>
  /** All resources, whoever may use them. */
  readonly registry: Registry
  readonly database: Pick<Connections, 'session' | 'knownSession' | 'schema' | 'dialect'>
  readonly access: ClientInHook & {
    /** The conversions between records and rows. */
    readonly sqlValues: SqlValues
    /** The access policy of each resource that has one. */
    readonly policies: Policies
  }
}

/** A request whose hooks are called. */
export interface HookCall {
  readonly runtime: HookRuntime
  readonly request: ApiRequest
  /** The caller; anonymous until the request is authenticated. */
  readonly caller: Caller
  /** The transaction of a write or batch as hooks receive it, with the host's plugins; absent outside of one. */
  readonly transaction?: AnyDatabase | undefined
}
