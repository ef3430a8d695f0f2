// Whether a path belongs to an endpoint without a resource: batch, index, documentation, health or authentication.

import type { Runtime } from '../../call/call.ts'
import { isIndex } from '../../route-table.ts'
import { authEndpointAt } from '../auth/auth-route.ts'
import { healthPartAt } from '../service/health.ts'
import { docsPartAt } from './docs-part.ts'

export const isOwnEndpoint = ({ settings, routes }: Runtime, path: string): boolean =>
  path === settings.batch?.path ||
  isIndex(routes, path) ||
  docsPartAt(settings.docs, path) !== undefined ||
  healthPartAt(settings.healthRoute, path) !== undefined ||
  authEndpointAt(settings.auth.routes, path) !== undefined
