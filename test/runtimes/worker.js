// The entry on workerd: the conformance list over D1, and the example of docs/reference/databases.md for every other path.

import { Kysely } from 'kysely'
import { D1Dialect } from 'kysely-d1'
import { conformance } from './conformance.js'
import example from './examples/d1.js'

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/conformance') return example.fetch(request, env)
    const db = new Kysely({ dialect: new D1Dialect({ database: env.DB }) })
    try {
      return Response.json(await conformance(db, 'sqlite'))
    } catch (error) {
      return Response.json({ failed: String(error?.stack) })
    }
  },
}
