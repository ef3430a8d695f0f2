// storeTypesOf: column types of the tables that the service creates for itself (`database/own-tables/`).

import type { Dialect, StoreTypes } from '../../dialect.ts'

const standard: StoreTypes = {
  datetime: 'timestamp',
  digest: 'varchar(64)',
  text: 'varchar(255)',
  boolean: 'boolean',
}

/** Returns the dialect's own types, or those of standard SQL. */
export const storeTypesOf = ({ storeTypes = standard }: Pick<Dialect, 'storeTypes'>): StoreTypes =>
  storeTypes
