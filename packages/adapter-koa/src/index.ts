// Serves an Api inside a Koa app; the public surface of the package: re-exports only.

export { apiErrors, type ModelApiOptions, modelApi } from './model-api.ts'
