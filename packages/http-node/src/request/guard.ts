// Guards of the host's own routes, such as `/reports`: the common part of the adapters' requireUser, jwtAuthentication and requireRoles,
// and currentUser.

import type { IncomingMessage } from 'node:http'
import type { Api, ApiResponse, HostRule } from '@model-api/core'
import { type RequestParts, readRequest } from './api-request.ts'

export interface JwtOptions {
  /** Verifies access tokens instead of the configured key. */
  readonly secret?: string
  /** false: authentication is optional, but a wrong token is still refused. Default true. */
  readonly auth?: boolean
}

export interface RoleOptions {
  /** true: one of the roles is enough. Default: a user needs all of them. */
  readonly any_of?: boolean
}

/** The part of an API that guards use. */
export type GuardingApi = Pick<Api, 'authenticate' | 'refuse'> & Partial<Pick<Api, 'prefix'>>

const users = new WeakMap<IncomingMessage, unknown>()

/**
 * Returns the user that an earlier guard authenticated; null without a guard, and for a caller without a user. The type argument
 * is not checked: use `Member | null` where the guard has `auth: false`.
 *
 * ```ts
 * const user = currentUser<Member>(req)
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the record of the host's own user model
export const currentUser = <User = any>(req: IncomingMessage): User =>
  (users.get(req) ?? null) as User

/** Authenticates a request. Returns undefined if the request may pass, otherwise the response that refuses it. */
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

/** The rule of `jwtAuthentication`. */
export const jwtRule = ({ secret, auth }: JwtOptions): HostRule => ({
  strategies: ['jwt'],
  ...(secret === undefined ? {} : { secret }),
  ...(auth === undefined ? {} : { auth }),
})

/**
 * The rule of `requireRoles('admin', 'editor', { any_of: true })`, from its arguments; throws without roles, since that would guard
 * nothing.
 */
export function hostRoleRule(args: readonly (string | RoleOptions)[]): HostRule {
  const roles = args.filter((arg) => typeof arg === 'string')
  const [options] = args.filter((arg) => typeof arg === 'object')
  if (roles.length === 0) throw new Error('requireRoles: name at least one role.')
  return { roles: { roles, any_of: options?.any_of === true } }
}
