/** Koa 3 and Kysely by hand. */
import type { IncomingMessage } from 'node:http'
import Koa from 'koa'
import { envelope, handlersOf } from './by-hand.ts'
import { callerOf, kyselyUser } from './hand-users.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

const system = (users: boolean): System => ({
  asks: 'own',
  open: async (name) => {
    const db = openKysely(name)
    const handlers = handlersOf(db, name)
    const app = new Koa()
    if (users) {
      const read = kyselyUser(db)
      app.use(async (context, next) => {
        const caller = await callerOf(read, context.headers.authorization)
        if (caller === undefined) context.throw(401)
        context.state.caller = caller
        await next()
      })
    }
    app.use(async (context) => {
      const started = performance.now()
      const [, question = '', ...args] = context.path.split('/')
      const body = context.method === 'GET' ? undefined : await bodyOf(context.req)
      const page = await handlers[question]?.(args.map(Number), context.state.caller, body)
      if (page === undefined) return
      context.status = page.status ?? 200
      context.body = envelope(page, started)
    })
    return app.callback()
  },
})

export const handKoa: System = system(false)
export const handKoaUsers: System = system(true)

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of req) text += part
  return JSON.parse(text)
}
