/** model-api on node:http, Express and Koa, over the pool that a service would have. */
import type { RequestListener } from 'node:http'
import { type Api, createApi } from '@model-api/core'
import { listener } from '@model-api/http-node'
import { models } from '../models.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

type Host = (api: Api) => RequestListener | Promise<RequestListener>

/** A host's framework is loaded with it, so that none pays for the others. */
const hosted = (host: Host, prepared = true): System => ({
  asks: 'api',
  open: async (name) => {
    const api = createApi({
      db: openKysely(name, prepared),
      models,
      config: {
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
/** The same without prepared statements; MySQL has none in either case. */
export const modelApiUnprepared: System = hosted((api) => listener(api), false)

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
