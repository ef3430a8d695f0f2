// createSignIn: builds, once for an API, what finds the sender of a request: the strategies, the store of refresh tokens and the rate
// limiter.

import type { HostFunctions } from '../access/hooks/host-functions.ts'
import type { Connections } from '../database/connections.ts'
import { Lease } from '../database/leases/lease.ts'
import { createApiKeyStore } from '../database/own-tables/api-keys.ts'
import {
  createRefreshTokenStore,
  type RefreshTokenStore,
} from '../database/own-tables/refresh-tokens.ts'
import { requestBounds } from '../database/statements/bounds.ts'
import type { Clock } from '../lib/clock.ts'
import { andThen } from '../lib/maybe-promise.ts'
import { withoutPlugins } from '../lib/sql/without-plugins.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import { noScopes } from '../query/compile/scopes.ts'
import { type Auth, createAuth } from './create-auth.ts'
import { createLimiter } from './limits/limiter.ts'
import type { SignIn } from './sign-in.ts'
import { type CredentialCleanup, createCredentialCleanup } from './users/credential-cleanup.ts'
import type { OpenForRequest } from './users/look-up-user.ts'

/** What `createSignIn` takes. */
export interface SignInParts {
  readonly settings: ApiSettings
  /** The resource of the user model; undefined if the API has none. */
  readonly users: Resource | undefined
  readonly clock: Clock
  readonly host: Pick<HostFunctions, 'callHook' | 'report' | 'warn'>
  readonly database: Connections
  /** Whether the code that runs was called by a hook, which may hold the only connection. */
  readonly isInsideHook: () => boolean
}

/** Creates the `signIn` of a Runtime. */
export function createSignIn(parts: SignInParts): SignIn {
  const { settings, users, clock, host, database } = parts
  const { callHook, report, warn } = host
  const { root, schema, dialect } = database
  const { trustedProxies, statementTimeout, rateLimitStore: store } = settings
  const open = openerOf(parts)
  const stored = { root, schema, dialect, bounds: requestBounds(statementTimeout) }
  const keys = { store: createApiKeyStore(stored), session: database.session }
  const auth = createAuth({ settings, users, clock, open, keys, report, callHook })
  const refreshStore = createRefreshTokenStore(stored)
  return {
    auth,
    refreshStore,
    credentialCleanup: cleanupOf(auth, refreshStore, clock),
    limits: {
      limiter: createLimiter({ store, clock, warn }),
      trustedProxies,
      loginWindows: settings.auth.loginWindows,
    },
  }
}

/** Returns what revokes credentials of removed users; undefined if users have neither tokens nor API keys. */
function cleanupOf(
  { users, tokens, keys }: Auth,
  refreshStore: RefreshTokenStore,
  clock: Clock,
): CredentialCleanup | undefined {
  if (users === undefined || (tokens ?? keys) === undefined) return undefined
  return createCredentialCleanup({
    users,
    tokens: tokens && refreshStore,
    keys: keys?.store,
    clock,
  })
}

/** Returns the function that opens the connection on which the user of a request is read. */
const openerOf =
  ({ settings, database, isInsideHook }: SignInParts): OpenForRequest =>
  (request) =>
    andThen(database.session(request), (given) => {
      const db = withoutPlugins(given)
      return andThen(database.dialect(db), (dialect) => ({
        target: { db, dialect, scopes: noScopes },
        lease: new Lease({
          db,
          dialect,
          bounds: requestBounds(settings.statementTimeout, request),
        }),
        isShared: given === database.root && !given.isTransaction && !isInsideHook(),
      }))
    })
