// The entry `@model-api/core/introspect`: models read from an existing database, and models written as TypeScript.

export type { HeldBack } from './introspect/held-back.ts'
export {
  type Introspection,
  type IntrospectionNote,
  type IntrospectOptions,
  introspect,
  type LeftOut,
} from './introspect/introspect.ts'
export { printModels } from './introspect/print-models.ts'
