/** Authenticates the users of a rival on Fastify by their tokens, as the servers written by hand do. */
import type { FastifyInstance } from 'fastify'
import { callerOf, type UserRow } from '../systems/hand-users.ts'

/** Sets the user of every request, with the role that Platformatic's rules require. Responds with 401 without a valid token. */
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
