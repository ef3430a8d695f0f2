/** model-api on node:http, Express and Koa, over the pool that a service would have. */
import type { RequestListener } from 'node:http'
import { modelApi as onExpress } from '@model-api/adapter-express'
import { modelApi as onKoa } from '@model-api/adapter-koa'
import { type Api, createApi } from '@model-api/core'
import { listener } from '@model-api/http-node'
import express from 'express'
import Koa from 'koa'
import { models } from '../models.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

const hosted = (host: (api: Api) => RequestListener, prepared = true): System => ({
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

export const modelApiExpress: System = hosted((api) => express().use(onExpress(api)))
export const modelApiKoa: System = hosted((api) => new Koa().use(onKoa(api)).callback())
