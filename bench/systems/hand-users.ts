/** How users are told by hand: the token is verified by jose, and the user's row is read for each request. */

import type { Kysely } from 'kysely'
import { jwtVerify } from '../jose.ts'
import { accessSecret } from '../users.ts'
import type { Caller } from './by-hand.ts'

const secret = new TextEncoder().encode(accessSecret)

/** The caller of an Authorization header; undefined where it has no valid token of a user who is still there. */
export async function callerOf(
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
  db: Kysely<any>,
  authorization: string | undefined,
): Promise<Caller> {
  try {
    const token = authorization?.slice('Bearer '.length) ?? ''
    const { payload } = await jwtVerify(token, secret, { algorithms: ['HS256'] })
    const user = await db
      .selectFrom('bench_users')
      .selectAll()
      .where('id', '=', Number(payload.sub))
      .executeTakeFirst()
    return user?.number
  } catch {
    return undefined
  }
}
