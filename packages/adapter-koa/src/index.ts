// Serves an Api inside a Koa app; the public surface of the package: re-exports only.

export { currentUser, jwtAuthentication, requireRoles } from './guards.ts'
export { apiErrors, modelApi } from './model-api.ts'
