/** Tells the users of a rival on Fastify from their tokens, as the servers written by hand do. */
import type { FastifyInstance } from 'fastify'
import { callerOf, type UserRow } from '../systems/hand-users.ts'

/** Gives every request its user, with the role that Platformatic's rules are for; without one, the response is 401. */
export function authenticate(
  app: FastifyInstance,
  read: (id: number) => Promise<UserRow | undefined>,
): void {
  app.decorateRequest('user', null)
  // biome-ignore lint/suspicious/noExplicitAny: not checked here
  app.addHook('onRequest', async (request: any, reply) => {
    const number = await callerOf(read, request.headers.authorization)
    if (number === undefined) return reply.code(401).send({ error: 'Unauthorized' })
    request.user = { number, role: 'user' }
  })
}
