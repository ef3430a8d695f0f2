// Serves an Api inside a Koa app; the public surface of the package: re-exports only.

export type { Handler, KoaContext } from './context.ts'
export { currentUser, jwtAuthentication, requireRoles, requireUser } from './guards.ts'
export { apiErrors, modelApi } from './model-api.ts'
