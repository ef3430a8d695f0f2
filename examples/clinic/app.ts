// The app: a route of its own, and the API.

import { apiErrors, currentUser, modelApi, requireUser } from '@model-api/adapter-koa'
import Koa from 'koa'
import type { Clinic } from './api.ts'
import type { Caller } from './rules.ts'

export function createApp(api: Clinic): Koa {
  const app = new Koa()
  app.use(apiErrors(api))
  const signedIn = requireUser(api)
  app.use(async (ctx, next) => {
    if (ctx.path !== '/api/my-day') return next()
    return signedIn(ctx, async () => {
      const user = currentUser<Caller>(ctx)
      // The same client as in a browser, with the rows of this user.
      ctx.body = await api
        .as(user)
        .appointments.list({
          where: { status: 'open' },
          orderBy: ['starts_at'],
          fields: ['starts_at', 'customer.name'],
        })
        .unwrap()
    })
  })
  app.use(modelApi(api))
  return app
}
