// The app: the routes of accounts, and the API after them.

import { currentUser, modelApi, requireUser } from '@model-api/adapter-express'
import { type Api, apiError } from '@model-api/core'
import express, { type Express, type Response } from 'express'
import type { Kysely } from 'kysely'
import type { Database } from './models.ts'
import type { Caller } from './rules.ts'
import { accept, logIn, logOut, type Session, signUp } from './sessions.ts'

/** Returns a text of the body; responds with 400 if it is missing. */
function text(body: unknown, name: string): string {
  const value: unknown = Object(body)[name]
  if (typeof value === 'string' && value !== '') return value
  throw apiError(400, 'Validation failed', { [name]: ['This field is required.'] })
}

const begin = (res: Response, { cookie, csrf_token }: Session): void => {
  res.setHeader('set-cookie', cookie).json({ csrf_token })
}

export function createApp(db: Kysely<Database>, api: Api): Express {
  const app = express()
  app.post('/api/sign-up', express.json(), async ({ body }, res) => {
    const account = { organisation: text(body, 'organisation'), name: text(body, 'name') }
    const login = { email: text(body, 'email'), password: text(body, 'password') }
    begin(res, await signUp(db, { ...account, ...login }))
  })
  app.post('/api/accept', express.json(), async ({ body }, res) => {
    begin(res, await accept(db, text(body, 'invitation'), text(body, 'password')))
  })
  app.post('/api/session', express.json(), async ({ body }, res) => {
    begin(res, await logIn(db, text(body, 'email'), text(body, 'password')))
  })
  app.delete('/api/session', async ({ headers }, res) => {
    await logOut(db, headers.cookie)
    res.status(204).end()
  })
  app.get('/api/me', requireUser(api), (req, res) => {
    res.json(currentUser<Caller>(req))
  })
  // Sends errors of the routes above in the form of the API, too.
  app.use(modelApi(api))
  return app
}
