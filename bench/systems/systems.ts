/** Everything that can be measured, by name; each is loaded when it is opened, so that none carries the others. */
import type { AskedAs } from '../ask.ts'
import { platformatic, zenstack } from './rival.ts'
import type { System } from './system.ts'

const loaded = (asks: AskedAs, load: () => Promise<System>): System => ({
  asks,
  open: async (database) => (await load()).open(database),
})

const hosts = () => import('./model-api.ts')

export const systems: Readonly<Record<string, System>> = {
  limit: loaded('own', async () => (await import('./limit/limit.ts')).limit),
  'model-api': loaded('api', async () => (await hosts()).modelApi),
  'model-api-unprepared': loaded('api', async () => (await hosts()).modelApiUnprepared),
  'model-api-express': loaded('api', async () => (await hosts()).modelApiExpress),
  'model-api-koa': loaded('api', async () => (await hosts()).modelApiKoa),
  'hand-express': loaded('own', async () => (await import('./hand-express.ts')).handExpress),
  platformatic,
  zenstack,
}
