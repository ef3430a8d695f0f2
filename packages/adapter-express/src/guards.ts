// Guards of the host's own Express routes, by the authentication and the roles of the API.

import {
  type GuardingApi,
  guard,
  type JwtOptions,
  jwtRule,
  type RoleOptions,
  roleRule,
  userOf,
  writeResponse,
} from '@model-api/http-node'
import type { Handler } from './handler.ts'

type Rule = Parameters<typeof guard>[1]

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
 * Lets users with all of the roles pass, with `{ any_of: true }` users with one of them; others get 403.
 *
 * ```ts
 * app.delete('/cache', requireRoles(api, 'admin', 'editor', { any_of: true }), (req, res) => res.end())
 * ```
 */
export const requireRoles = (
  api: GuardingApi,
  ...roles: readonly (string | RoleOptions)[]
): Handler => guarding(api, roleRule(roles))

/** The user that a guard before this handler authenticated, or null. */
// biome-ignore lint/suspicious/noExplicitAny: the record of the host's own user model
export const currentUser = (req: Parameters<typeof userOf>[0]): any => userOf(req)

const guarding =
  (api: GuardingApi, rule: Rule): Handler =>
  (req, res, next) => {
    guard(api, rule, req, { url: req.url, baseUrl: req.baseUrl, body: req.body })
      .then((refused) => (refused === undefined ? next() : writeResponse(res, refused)))
      .catch(next)
  }
