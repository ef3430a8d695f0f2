// The entry `@model-api/core/introspect`: models read from an existing database, and models written as TypeScript.

export type { HeldBack } from './catalogue/introspect/held-back.ts'
export {
  type Introspection,
  type IntrospectionNote,
  type IntrospectOptions,
  introspect,
  type LeftOut,
  type ListOnly,
} from './catalogue/introspect/introspect-database.ts'
export type { GivenKeys } from './catalogue/introspect/keys.ts'
export { printModels } from './catalogue/introspect/print-models.ts'
export { schemasWithTables } from './catalogue/introspect/read-catalogue.ts'
export type { GivenRelation } from './catalogue/introspect/relations/given-relations.ts'
export type { RelationDeletes } from './catalogue/introspect/relations/relations.ts'
export { type RowCount, rowCounts } from './catalogue/introspect/row-counts.ts'
export type { SchemaSize } from './catalogue/shared/catalogue.ts'
