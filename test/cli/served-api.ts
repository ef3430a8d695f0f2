/** An API as a module exports it for `model-api serve`: people and books on the database TARGET, each answer with its process. */
import { createApi } from '@model-api/core'
import { openDatabase } from '@model-api/http-node'
import { Book, jwtKeys, User } from '../auth/people.ts'

const { TARGET = '' } = process.env
const database = await openDatabase(TARGET)

export const api = createApi({
  db: database.db,
  models: [User, Book],
  config: {
    ...jwtKeys,
    API_AUTH_REQUIREMENTS: { GET: false, POST: false },
    API_FINAL_CALLBACK: (body) => ({ ...(body as object), pid: process.pid }),
  },
})

export const close = database.close
