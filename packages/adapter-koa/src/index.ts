// Serves an Api inside a Koa app; the public surface of the package: re-exports only.

export type { Handler, KoaContext } from './koa-context.ts'
export { currentUser, jwtAuthentication, requireRoles, requireUser } from './koa-guards.ts'
export { apiErrors, modelApi } from './koa-model-api.ts'
