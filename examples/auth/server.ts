// Logging in: access and refresh tokens for the API, which also protect a route of the app.

import type { AddressInfo } from 'node:net'
import { currentUser, jwtAuthentication, modelApi, requireRoles } from '@model-api/adapter-express'
import { createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import express from 'express'
import { sql } from 'kysely'
import { Author, Book, onStop, openBookshop, port } from '../bookshop.ts'

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40, unique: true },
    password_hash: { type: 'string', maxLength: 80, hidden: true },
    roles: { type: 'json' },
  },
  methods: { check_password: passwordCheck('password_hash') },
  // Without meta, users have no endpoints.
})

const db = openBookshop()
await sql`create table users (id integer primary key, name varchar(40) not null unique,
  password_hash varchar(80) not null, roles json not null)`.execute(db)
const people = { ann: ['admin'], bob: [] }
for (const [name, roles] of Object.entries(people)) {
  const password_hash = await hashPassword(`${name}'s secret`)
  await db
    .insertInto('users')
    .values({ name, password_hash, roles: JSON.stringify(roles) })
    .execute()
}

const api = createApi({
  db,
  models: [Author, Book, User],
  config: {
    API_AUTHENTICATE_METHOD: ['jwt'],
    API_USER_MODEL: User,
    API_USER_LOOKUP_FIELD: 'name',
    API_CREDENTIAL_CHECK_METHOD: 'check_password',
    // Everybody may read; writing needs a login, and deleting needs a role.
    API_AUTH_REQUIREMENTS: { GET: false },
    API_ROLE_MAP: { DELETE: 'admin' },
  },
  // Use secrets from the environment; these are only for the example.
  env: {
    ACCESS_SECRET_KEY: 'an example, not a secret: access tokens',
    REFRESH_SECRET_KEY: 'an example, not a secret: refresh tokens',
    ...process.env,
  },
})

const app = express()
app.use(modelApi(api))
app.get('/hello', jwtAuthentication(api), (req, res) => {
  res.send(`Hello, ${currentUser(req).name}.`)
})
app.get('/office', requireRoles(api, 'admin', 'editor', { any_of: true }), (_req, res) => {
  res.send('Come in.')
})

const server = app.listen(port, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`Listening at ${url}
  curl '${url}/auth/login' -H 'content-type: application/json' -d '{"username":"ann","password":"ann'"'"'s secret"}'
  curl '${url}/hello' -H 'authorization: Bearer <access_token>'`)
})
onStop(async () => {
  server.close()
  server.closeIdleConnections()
  await api.close()
  await db.destroy()
})
