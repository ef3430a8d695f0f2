// AnyDatabase: a Kysely instance whose tables and columns are known to the registry but not to TypeScript. Type only.

import type { Kysely } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: tables and columns are data of the registry
export type AnyDatabase = Kysely<any>
