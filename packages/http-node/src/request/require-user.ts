// requireUser for routes of node:http, Connect, Polka and Fastify: lets authenticated requests pass; others get the API's 401.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostRule } from '@model-api/core'
import { writeResponse } from '../response/write-response.ts'
import { type GuardingApi, guard } from './guard.ts'
import { mountedPlace } from './mount.ts'

/**
 * Lets requests pass that any strategy of the API authenticates; others get 401 in the API's envelope. With `{ auth: false }`
 * requests without credentials pass too, but a wrong credential still gets 401. With `{ roles: ['admin'] }` users without these
 * roles get 403.
 *
 * ```ts
 * app.use('/reports', requireUser(api), (req, res) => res.end(reportFor(currentUser(req)))) // Connect, Polka
 * requireUser(api)(req, res, () => res.end(reportFor(currentUser(req)))) // node:http
 * ```
 */
export const requireUser =
  (api: GuardingApi, rule: HostRule = {}) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    // An error that `next` throws belongs to the host; it is not caught here.
    void guard(api, { auth: true, ...rule }, req, { ...mountedPlace(req, api.prefix), res }).then(
      (refused) => (refused === undefined ? next() : writeResponse(res, refused)),
    )
  }
