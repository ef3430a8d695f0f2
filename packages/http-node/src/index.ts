// Serves an Api with node:http; the public surface of the package: re-exports only.

export { run } from './command.ts'
export type { CommandIo } from './commands/io.ts'
export { connectionTurn } from './connection-turns.ts'
export { type OpenDatabase, type OpenOptions, openDatabase } from './database/open-database.ts'
export {
  currentUser,
  type GuardingApi,
  guard,
  type JwtOptions,
  jwtRule,
  type RoleOptions,
  roleRule,
} from './guard.ts'
export { hostError } from './host-error.ts'
export { type Http2Listener, type Listener, type ListenerOptions, listener } from './listener.ts'
export { type Place, placeOf, removedPrefix } from './mount.ts'
export { readParsed } from './parsed-body.ts'
export { readBody } from './read-body.ts'
export { type RequestParts, readRequest } from './read-request.ts'
export { requireUser } from './require-user.ts'
export { limitSending } from './send-deadline.ts'
export { type ApiServer, createServer, type ServerOptions } from './server.ts'
export { setHeaders, writeResponse, writeText } from './write-response.ts'
