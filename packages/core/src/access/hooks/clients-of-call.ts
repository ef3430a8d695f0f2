// ClientsOfCall: the clients that hooks of a request receive, each made once, when a hook asks for it. A class, because hooks of many records get one each.

import type { HookClient, HookClients } from '../../model/settings/access/hook-types.ts'
import type { HookCall } from './hook-call.ts'

export class ClientsOfCall implements HookClients {
  readonly #call: HookCall
  readonly #hooks: string
  #user: HookClient | undefined
  #system: HookClient | undefined

  /** `hooks` names the hooks of the request, for an error. */
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
