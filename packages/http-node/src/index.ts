// Serves an Api with node:http; the public surface of the package: re-exports only.

export { run } from './command.ts'
export type { CommandIo } from './commands/io.ts'
export { type OpenDatabase, type OpenOptions, openDatabase } from './database/open-database.ts'
export { hostError } from './host-error.ts'
export { type ListenerOptions, listener } from './listener.ts'
export { type Parsed, readParsed } from './read-parsed.ts'
export { type ReadOptions, readRequest } from './read-request.ts'
export { refusal } from './refusal.ts'
export { responseText } from './response-text.ts'
export { type ApiServer, createServer, type ServerOptions } from './server.ts'
export { writeResponse } from './write-response.ts'
