/** Express 5 and Kysely by hand. Disables Express's ETag, because the other systems have none. */
import express from 'express'
import { envelope, type Handler, handlersOf } from './by-hand.ts'
import { callerOf, kyselyUser } from './hand-users.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

const system = (users: boolean): System => ({
  asks: 'own',
  open: async (name) => {
    const db = openKysely(name)
    const app = express().disable('etag').disable('x-powered-by')
    if (users) app.use(authenticating(kyselyUser(db)))
    for (const [question, handler] of Object.entries(handlersOf(db, name))) {
      const path = `/${question}{/:a}{/:b}`
      if (question === 'W8') app.post(path, express.json(), answering(handler))
      else if (question === 'W9') app.patch(path, express.json(), answering(handler))
      else app.get(path, answering(handler))
    }
    return app
  },
})

export const handExpress: System = system(false)
export const handExpressUsers: System = system(true)

const authenticating =
  (read: Parameters<typeof callerOf>[0]): express.RequestHandler =>
  async (req, res, next) => {
    const caller = await callerOf(read, req.headers.authorization)
    if (caller === undefined) return void res.status(401).json({ error: 'Unauthorized' })
    res.locals.caller = caller
    next()
  }

const answering =
  (handler: Handler): express.RequestHandler =>
  async (req, res) => {
    const started = performance.now()
    const { a, b } = req.params as { a?: string; b?: string }
    const page = await handler([Number(a), Number(b)], res.locals.caller, req.body)
    res.status(page.status ?? 200).json(envelope(page, started))
  }
