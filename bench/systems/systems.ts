/** All systems by name. Each is loaded only when it is opened, so that no system loads the code of the others. */
import type { AskedAs } from '../ask.ts'
import {
  feathers,
  feathersUsers,
  platformatic,
  platformaticUsers,
  supabaseLite,
  zenstack,
  zenstackUsers,
} from './rival.ts'
import type { System } from './system.ts'

const loaded = (asks: AskedAs, load: () => Promise<System>, users = false): System => ({
  asks,
  users,
  open: async (database) => (await load()).open(database),
})

const hosts = () => import('./model-api.ts')
const express = () => import('./hand-express.ts')
const koa = () => import('./hand-koa.ts')

export const systems: Readonly<Record<string, System>> = {
  limit: loaded('own', async () => (await import('./limit/limit.ts')).limit),
  'model-api': loaded('api', async () => (await hosts()).modelApi),
  'model-api-unprepared': loaded('api', async () => (await hosts()).modelApiUnprepared),
  'model-api-express': loaded('api', async () => (await hosts()).modelApiExpress),
  'model-api-koa': loaded('api', async () => (await hosts()).modelApiKoa),
  'hand-express': loaded('own', async () => (await express()).handExpress),
  'hand-koa': loaded('own', async () => (await koa()).handKoa),
  'model-api-users': loaded('api', async () => (await hosts()).modelApiUsers, true),
  'hand-express-users': loaded('own', async () => (await express()).handExpressUsers, true),
  'hand-koa-users': loaded('own', async () => (await koa()).handKoaUsers, true),
  platformatic,
  zenstack,
  feathers,
  'supabase-lite': supabaseLite,
  'platformatic-users': platformaticUsers,
  'zenstack-users': zenstackUsers,
  'feathers-users': feathersUsers,
}
