// AnyDatabase: a Kysely instance whose tables and columns TypeScript does not know, because they are in the registry; and its Executor.
// Types only.

import type { Kysely } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: tables and columns are data of the registry
export type AnyDatabase = Kysely<any>

/** Kysely's executor of an instance: it compiles, provides connections and has the plugins. */
export type Executor = ReturnType<AnyDatabase['getExecutor']>
