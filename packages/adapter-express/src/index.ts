// Serves an Api inside an Express app; the public surface of the package: re-exports only.

export { currentUser, jwtAuthentication, requireRoles, requireUser } from './express-guards.ts'
export { modelApi } from './express-model-api.ts'
export type { ErrorHandler, ExpressRequest, Handler, Next } from './handler.ts'
