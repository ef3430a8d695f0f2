// Serves an Api inside an Express app; the public surface of the package: re-exports only.

export { type ModelApiOptions, modelApi } from './model-api.ts'
