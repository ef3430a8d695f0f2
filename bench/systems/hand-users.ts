/** Authenticates users by hand: jose verifies the token, and the row of the user is read for each request. */

import type { Kysely } from 'kysely'
import { jwtVerify } from '../jose.ts'
import { accessSecret } from '../users.ts'
import type { Caller } from './by-hand.ts'

export interface UserRow {
  readonly id: number
  readonly name: string
  readonly number: number
}

const secret = new TextEncoder().encode(accessSecret)

/** Reads the row of a user with Kysely. */
export const kyselyUser =
  (db: Kysely<{ bench_users: UserRow }>) =>
  (id: number): Promise<UserRow | undefined> =>
    db.selectFrom('bench_users').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the caller of an Authorization header; undefined without a valid token of an existing user. */
export async function callerOf(
  read: (id: number) => Promise<UserRow | undefined>,
  authorization: string | undefined,
): Promise<Caller> {
  const id = await idIn(authorization)
  return id === undefined ? undefined : (await read(id))?.number
}

async function idIn(authorization: string | undefined): Promise<number | undefined> {
  try {
    const token = authorization?.slice('Bearer '.length) ?? ''
    const { payload } = await jwtVerify(token, secret, { algorithms: ['HS256'] })
    return Number(payload.sub)
  } catch {
    return undefined
  }
}
