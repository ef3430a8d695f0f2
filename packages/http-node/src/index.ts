// Serves an Api with node:http; the public surface of the package: re-exports only.

export { run } from './command.ts'
export type { CommandIo } from './commands/io.ts'
export { type OpenDatabase, type OpenOptions, openDatabase } from './database/open-database.ts'
export { type RequestParts, readRequest } from './request/api-request.ts'
export {
  currentUser,
  type GuardingApi,
  guard,
  hostRoleRule as roleRule,
  type JwtOptions,
  jwtRule,
  type RoleOptions,
} from './request/guard.ts'
export { type Place, placeOf, removedPrefix } from './request/mount.ts'
export { readParsed } from './request/parsed-body.ts'
export { receiveBody as readBody } from './request/received-body.ts'
export { requireUser } from './request/require-user.ts'
export { hostError, isApiRefusal } from './response/host-error.ts'
export { limitSending } from './response/send-deadline.ts'
export { setHeaders, writeResponse, writeText } from './response/write-response.ts'
export { connectionTurn } from './server/connection-turns.ts'
export {
  type Http2Listener,
  type Listener,
  type ListenerOptions,
  listener,
} from './server/listener.ts'
export { type ApiServer, createServer, type ServerOptions } from './server/server.ts'
