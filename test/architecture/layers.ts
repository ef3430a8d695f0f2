/** The order of the rooms of the core as data: which folder may import which. */

/**
 * Lowest first. A room is a folder of `src`, or a file there. Some rooms have an order of their own: their sub-folders stand here as
 * places, and the name of the room stands for all its other files. Files import values from lower places and from their own, and types
 * from lower rooms and from all places of their own.
 */
export const layers: readonly (readonly string[])[] = [
  ['lib'],
  ['problems.ts'],
  ['errors.ts'],
  ['model/query-words'],
  ['model'],
  ['model/settings'],
  ['model/registry'],
  ['model/hooks'],
  ['dialect'],
  ['database/statements'],
  ['database/leases'],
  ['database/own-tables', 'database/replicas'],
  ['database'],
  ['drivers', 'query/parse'],
  ['query/plan'],
  ['query/serialize'],
  ['query/compile'],
  ['query/run'],
  ['query/cache'],
  ['query'],
  ['write/nodes'],
  ['write/statements'],
  ['write'],
  ['write/body'],
  ['access'],
  ['auth'],
  ['http'],
  ['openapi', 'catalogue', 'client'],
  ['handle.ts'],
  ['client-in-process.ts'],
  ['api.ts'],
  ['index.ts', 'internals.ts', 'introspect.ts', 'redis.ts', 'drivers.ts', 'client.ts'],
]

/** Imports that are forbidden, although they lie in a lower layer: packages, and folders of the core. */
export const never: Readonly<Record<string, readonly string[]>> = {
  'query/parse': ['lib/json', 'kysely', 'jose', 'bcryptjs', 'pluralize', 'change-case'],
  'query/plan': ['kysely'],
  'query/serialize': ['kysely'],
  'query/compile': ['query/parse', 'model/settings', 'access'],
  'write/nodes': ['kysely'],
  'write/statements': ['query/parse', 'model/settings', 'access'],
  openapi: ['query/plan', 'query/compile'],
}

/** The packages the core may import, and how. */
export const packages: Readonly<Record<string, 'anywhere' | 'lazily' | 'types only'>> = {
  kysely: 'anywhere',
  jose: 'lazily',
  pluralize: 'anywhere',
  'change-case': 'anywhere',
  bcryptjs: 'lazily',
  'openapi3-ts': 'types only',
}

/**
 * Files that no entry loads: those that import them load them when they are first needed. What these files import is loaded with them,
 * unless an entry needs it too.
 */
export const firstUse: readonly string[] = [
  'catalogue/check/comparison.ts',
  'http/endpoints/reads/pages.ts',
  'http/endpoints/service/service-index.ts',
  'openapi/document.ts',
  'openapi/endpoint/docs.ts',
]

/** The only files that re-export from other files. */
export const entries: readonly string[] = [
  'index.ts',
  'internals.ts',
  'introspect.ts',
  'redis.ts',
  'drivers.ts',
  'client.ts',
]

/** Most files of a folder. A folder with more gets sub-folders, each with its reason in the README of the room. */
export const mostFiles = 15
