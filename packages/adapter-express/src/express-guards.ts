// Guards of the host's own Express routes, such as `app.get('/reports', requireUser(api), …)`, by the API's authentication and roles.

import type { IncomingMessage } from 'node:http'
import type { HostRule } from '@model-api/core'
import {
  type GuardingApi,
  guard,
  type JwtOptions,
  jwtRule,
  placeOf,
  type RoleOptions,
  roleRule,
  currentUser as userOf,
  writeResponse,
} from '@model-api/http-node'
import type { Handler } from './handler.ts'

/**
 * Lets requests pass that any strategy of the API authenticates; others get 401 in the API's envelope. With `{ auth: false }`
 * requests without credentials pass too, but a wrong credential still gets 401. With `{ roles: ['admin'] }` users without these
 * roles get 403.
 *
 * ```ts
 * app.get('/reports', requireUser(api), (req, res) => res.json(reportFor(currentUser(req))))
 * ```
 */
export const requireUser = (api: GuardingApi, rule: HostRule = {}): Handler =>
  guarding(api, { auth: true, ...rule })

/**
 * Lets requests with a valid access token pass; others get 401 in the API's envelope.
 *
 * ```ts
 * app.get('/reports', jwtAuthentication(api), (req, res) => res.json(reportFor(currentUser(req))))
 * ```
 */
export const jwtAuthentication = (api: GuardingApi, options: JwtOptions = {}): Handler =>
  guarding(api, jwtRule(options))

/**
 * Lets users with all of the roles pass, or with `{ any_of: true }` users with at least one of them; others get 403.
 *
 * ```ts
 * app.delete('/cache', requireRoles(api, 'admin', 'editor', { any_of: true }), (req, res) => res.end())
 * ```
 */
export const requireRoles = (
  api: GuardingApi,
  ...roles: readonly (string | RoleOptions)[]
): Handler => guarding(api, roleRule(roles))

/**
 * Returns the user that an earlier guard authenticated; null without a guard, and for a caller without a user.
 *
 * ```ts
 * const user = currentUser<Member>(req) // currentUser<Member | null>(req) where the guard has auth: false
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the record of the host's own user model
export const currentUser = <User = any>(req: IncomingMessage): User => userOf<User>(req)

/** The middleware of a rule: calls `next()` for a request that may pass, and sends the refusal of others. */
const guarding =
  (api: GuardingApi, rule: HostRule): Handler =>
  (req, res, next) => {
    guard(api, rule, req, { ...placeOf(req, api.prefix), body: req.body })
      .then((refused) => (refused === undefined ? next() : writeResponse(res, refused)))
      .catch(next)
  }
