// Guards of host routes: what jwtAuthentication, requireRoles and currentUser of the adapters have in common.

import type { IncomingMessage } from 'node:http'
import type { Api, ApiResponse, HostRule } from '@model-api/core'
import { type RequestParts, readRequest } from './read-request.ts'

export interface JwtOptions {
  /** Verifies access tokens instead of the configured key. */
  readonly secret?: string
  /** false: the route is open to everybody; a wrong token is refused all the same. Default true. */
  readonly auth?: boolean
}

export interface RoleOptions {
  /** One of the roles is enough. Default: all of them are needed. */
  readonly any_of?: boolean
}

/** What the guards need of an API. */
export type GuardingApi = Pick<Api, 'authenticate' | 'refuse'>

const users = new WeakMap<IncomingMessage, unknown>()

/** The user a guard found, or null. */
// biome-ignore lint/suspicious/noExplicitAny: the record of the host's own user model
export const userOf = (req: IncomingMessage): any => users.get(req) ?? null

/** Lets a request pass (undefined), or gives the answer that refuses it. */
export async function guard(
  api: GuardingApi,
  rule: HostRule,
  req: IncomingMessage,
  parts: RequestParts,
): Promise<ApiResponse | undefined> {
  const request = readRequest(req, parts)
  try {
    users.set(req, await api.authenticate(request, rule))
    return undefined
  } catch (error) {
    return api.refuse(request, error)
  }
}

export const jwtRule = ({ secret, auth }: JwtOptions): HostRule => ({
  strategies: ['jwt'],
  ...(secret === undefined ? {} : { secret }),
  ...(auth === undefined ? {} : { auth }),
})

/** `'admin', 'editor', { any_of: true }` → a role rule; a call without roles guards nothing, and says so at start. */
export function roleRule(args: readonly (string | RoleOptions)[]): HostRule {
  const roles = args.filter((arg) => typeof arg === 'string')
  const [options] = args.filter((arg) => typeof arg === 'object')
  if (roles.length === 0) throw new Error('requireRoles: name at least one role.')
  return { roles: { roles, any_of: options?.any_of === true } }
}
