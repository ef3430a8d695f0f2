// Guards of the host's own Koa routes, such as `router.get('/reports', requireUser(api), …)`, by the API's authentication and roles.

import type { IncomingMessage } from 'node:http'
import type { HostRule } from '@model-api/core'
import {
  type GuardingApi,
  guard,
  type JwtOptions,
  jwtRule,
  type RoleOptions,
  roleRule,
  currentUser as userOf,
} from '@model-api/http-node'
import { parsedBody, placeIn, putResponse } from './answer.ts'
import type { Handler } from './koa-context.ts'

/**
 * Lets requests pass that any strategy of the API authenticates; others get 401 in the API's envelope. With `{ auth: false }`
 * requests without credentials pass too, but a wrong credential still gets 401. With `{ roles: ['admin'] }` users without these
 * roles get 403.
 *
 * ```ts
 * router.get('/reports', requireUser(api), (ctx) => { ctx.body = reportFor(currentUser(ctx)) })
 * ```
 */
export const requireUser = (api: GuardingApi, rule: HostRule = {}): Handler =>
  guarding(api, { auth: true, ...rule })

/**
 * Lets requests with a valid access token pass; others get 401 in the API's envelope.
 *
 * ```ts
 * router.get('/reports', jwtAuthentication(api), (ctx) => { ctx.body = reportFor(currentUser(ctx)) })
 * ```
 */
export const jwtAuthentication = (api: GuardingApi, options: JwtOptions = {}): Handler =>
  guarding(api, jwtRule(options))

/**
 * Lets users with all of the roles pass, or with `{ any_of: true }` users with at least one of them; others get 403.
 *
 * ```ts
 * router.delete('/cache', requireRoles(api, 'admin', 'editor', { any_of: true }), (ctx) => { ctx.status = 204 })
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
 * const user = currentUser<Member>(ctx) // currentUser<Member | null>(ctx) where the guard has auth: false
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the record of the host's own user model
export const currentUser = <User = any>(ctx: { readonly req: IncomingMessage }): User =>
  userOf<User>(ctx.req)

/** The middleware of a rule: calls `next()` for a request that may pass, and puts the refusal of others into the context. */
const guarding =
  (api: GuardingApi, rule: HostRule): Handler =>
  async (ctx, next) => {
    const parts = { ...placeIn(ctx, api.prefix), body: parsedBody(ctx), host: ctx }
    const refused = await guard(api, rule, ctx.req, parts)
    if (refused === undefined) return next()
    putResponse(ctx, refused)
  }
