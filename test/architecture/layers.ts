/** The layers of the core as data: which folder may import which. */

/**
 * Lowest first. A folder, a stage of `write`, or a file of the root, may import values from lower layers and from
 * itself; `import type` is free, because it is erased.
 */
export const layers: readonly (readonly string[])[] = [
  ['client', 'error-body'],
  ['error-size', 'operation-at', 'script-sha256'],
  ['maybe-promise', 'time-limit', 'turn', 'lru-map', 'text-hash'],
  ['errors', 'naming', 'json'],
  ['model', 'parse', 'sql'],
  ['config'],
  ['registry', 'dialect', 'call-hook', 'host-values'],
  ['plan', 'http'],
  ['compile', 'write/nodes'],
  ['write/statements'],
  ['execute', 'serialize', 'plan-cache', 'html'],
  ['write/store', 'store'],
  ['access', 'auth', 'limits', 'hooks', 'input'],
  ['endpoints', 'http/endpoints/writes', 'openapi', 'introspect', 'schema-check'],
  ['call', 'handle', 'fetch', 'session', 'connect', 'observers'],
  ['replica-options', 'option-names'],
  ['api'],
  ['index', 'internals', 'introspect.ts', 'redis', 'prepared.ts', 'client.ts'],
]

/** Imports between neighbours of one layer that are allowed nevertheless. */
export const sideways: readonly (readonly [from: string, to: string])[] = [
  ['auth', 'access'],
  ['hooks', 'access'],
  ['endpoints', 'openapi'],
  ['endpoints', 'http/endpoints/writes'],
  ['http/endpoints/writes', 'endpoints'],
]

/** Imports that are forbidden, although they lie in a lower layer. */
export const never: Readonly<Record<string, readonly string[]>> = {
  parse: ['json', 'kysely', 'jose', 'bcryptjs', 'pluralize', 'change-case'],
  naming: ['kysely'],
  plan: ['kysely'],
  'write/nodes': ['kysely'],
  compile: ['parse', 'config', 'access'],
  'write/statements': ['parse', 'config', 'access'],
  serialize: ['kysely'],
  openapi: ['plan', 'compile'],
}

/** The packages the core may import, and how. */
export const packages: Readonly<Record<string, 'anywhere' | 'lazily' | 'types only'>> = {
  kysely: 'anywhere',
  jose: 'anywhere',
  pluralize: 'anywhere',
  'change-case': 'anywhere',
  bcryptjs: 'lazily',
  'openapi3-ts': 'types only',
}

/** The only files that re-export from other files. */
export const entries: readonly string[] = [
  'index',
  'internals',
  'introspect.ts',
  'redis',
  'prepared.ts',
  'client.ts',
]
