// requireUser for routes of node:http, Connect, Polka and Fastify: the user that the API's strategies authenticate, or its 401.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostRule } from '@model-api/core'
import { type GuardingApi, guard } from './guard.ts'
import { writeResponse } from './write-response.ts'

/**
 * Lets requests of authenticated users pass, by every strategy of the API; others get its 401. `{ auth: false }` lets anonymous
 * requests pass, too, but no wrong credential; with `{ roles: ['admin'] }` users without these roles get 403.
 *
 * ```ts
 * app.use('/reports', requireUser(api), (req, res) => res.end(reportFor(currentUser(req)))) // Connect, Polka
 * requireUser(api)(req, res, () => res.end(reportFor(currentUser(req)))) // node:http
 * ```
 */
export const requireUser =
  (api: GuardingApi, rule: HostRule = {}) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    // What `next` throws is an error of the host, and stays one.
    void guard(api, { auth: true, ...rule }, req, { res }).then((refused) =>
      refused === undefined ? next() : writeResponse(res, refused),
    )
  }
