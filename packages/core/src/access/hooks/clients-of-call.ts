// ClientsOfCall: `args.as` of a hook. `args.as.user` sends requests to this API with the rights of the caller, `args.as.system` without
// role rules and policies. Each client is made when a hook first reads it. A class, because hooks of many records get an instance each.

import type { HookClient, HookClients } from '../../model/settings/access/hook-types.ts'
import type { HookCall } from './hook-call.ts'

/** `args.as` of one call of a hook. */
export class ClientsOfCall implements HookClients {
  readonly #call: HookCall
  readonly #hooks: string
  #user: HookClient | undefined
  #system: HookClient | undefined

  /** `hooks` names the hooks of the request in an error of the clients: `POST of Book`. */
  constructor(call: HookCall, hooks: string) {
    this.#call = call
    this.#hooks = hooks
  }

  get user(): HookClient {
    this.#user ??= this.#call.runtime.access.clientInHook(this.#call, 'caller', this.#hooks)
    return this.#user
  }

  get system(): HookClient {
    this.#system ??= this.#call.runtime.access.clientInHook(this.#call, 'system', this.#hooks)
    return this.#system
  }
}
