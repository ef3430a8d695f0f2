// Serves an Api inside an Express app; the public surface of the package: re-exports only.

export { currentUser, jwtAuthentication, requireRoles, requireUser } from './guards.ts'
export type { ErrorHandler, ExpressRequest, Handler, Next } from './handler.ts'
export { modelApi } from './model-api.ts'
