/** Everything that can be measured, by name. */
import { handExpress } from './hand-express.ts'
import { limit } from './limit/limit.ts'
import { modelApi, modelApiExpress, modelApiKoa, modelApiUnprepared } from './model-api.ts'
import type { System } from './system.ts'

export const systems: Readonly<Record<string, System>> = {
  limit,
  'model-api': modelApi,
  'model-api-unprepared': modelApiUnprepared,
  'model-api-express': modelApiExpress,
  'model-api-koa': modelApiKoa,
  'hand-express': handExpress,
}
