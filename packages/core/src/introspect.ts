// The entry `@model-api/core/introspect`: models read from an existing database, and models written as TypeScript.

export type { SchemaSize } from './dialect/shared/catalogue.ts'
export type { GivenRelation } from './introspect/given-relations.ts'
export type { HeldBack } from './introspect/held-back.ts'
export {
  type Introspection,
  type IntrospectionNote,
  type IntrospectOptions,
  introspect,
  type LeftOut,
  type ListOnly,
} from './introspect/introspect.ts'
export type { GivenKeys } from './introspect/keys.ts'
export { printModels } from './introspect/print-models.ts'
export { schemasWithTables } from './introspect/read-catalogue.ts'
