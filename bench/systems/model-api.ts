/** model-api on node:http, Express and Koa, over the same pool as in a service. */
import type { RequestListener } from 'node:http'
import { type Api, createApi } from '@model-api/core'
import { listener } from '@model-api/http-node'
import { jwt, scope, User } from '../authority/variants.ts'
import { models } from '../models.ts'
import { accessSecret } from '../users.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

type Host = (api: Api) => RequestListener | Promise<RequestListener>

interface Made {
  readonly prepared?: boolean
  /** Whether users send the requests, and every model has a policy. */
  readonly users?: boolean
}

/** Loads the framework of a host only when it is opened, so that the other systems do not load it. */
const hosted = (host: Host, { prepared = true, users = false }: Made = {}): System => ({
  asks: 'api',
  open: async (name) => {
    const api = createApi({
      db: openKysely(name, prepared),
      models: users ? [...models, User] : models,
      env: { ACCESS_SECRET_KEY: accessSecret, REFRESH_SECRET_KEY: 'b'.repeat(40) },
      config: {
        ...(users ? { ...jwt, API_ACCESS_POLICY: scope } : {}),
        API_ALLOW_JOIN: true,
        API_ALLOW_GROUPBY: true,
        API_ALLOW_AGGREGATION: true,
        API_SERIALIZATION_TYPE: 'dynamic',
        API_CREATE_DOCS: false,
      },
      onWarning: () => {},
    })
    await api.ready
    return host(api)
  },
})

export const modelApi: System = hosted((api) => listener(api))
/** model-api over Kysely's own drivers, which keep no prepared statements. */
export const modelApiUnprepared: System = hosted((api) => listener(api), { prepared: false })

/** model-api with users, whose row is read for each request, and a policy as data on every model. */
export const modelApiUsers: System = hosted((api) => listener(api), { users: true })

export const modelApiExpress: System = hosted(async (api) => {
  const { default: express } = await import('express')
  const { modelApi } = await import('@model-api/adapter-express')
  return express().use(modelApi(api))
})
export const modelApiKoa: System = hosted(async (api) => {
  const { default: Koa } = await import('koa')
  const { modelApi } = await import('@model-api/adapter-koa')
  return new Koa().use(modelApi(api)).callback()
})
