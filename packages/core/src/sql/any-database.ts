// AnyDatabase: a Kysely instance whose tables and columns the registry knows, not the compiler. Type only.

import type { Kysely } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: tables and columns are data of the registry
export type AnyDatabase = Kysely<any>
