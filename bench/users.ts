/** The users of measured servers with users, and the tokens that they send. */

import type { Script } from './databases.ts'
import { SignJWT } from './jose.ts'

/** The number of users. The values of policies vary with the user, and therefore from request to request. */
export const users = 50

export const accessSecret = 'a'.repeat(40)

export async function createUsers(script: Script): Promise<void> {
  await script.run('drop table if exists bench_users')
  await script.run(
    'create table bench_users (id integer primary key, name varchar(40) not null, number integer not null)',
  )
  for (let i = 1; i <= users; i++) {
    await script.run(`insert into bench_users values (${i}, 'user ${i}', ${i})`)
  }
}

/** Returns a header for each user, with an access token in the form that model-api issues. */
export function userHeaders(): Promise<readonly Readonly<Record<string, string>>[]> {
  const secret = new TextEncoder().encode(accessSecret)
  return Promise.all(
    Array.from({ length: users }, async (_, i) => {
      const token = await new SignJWT({ lookup: `user ${i + 1}` })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .setSubject(String(i + 1))
        .setIssuedAt()
        .setExpirationTime('12h')
        .sign(secret)
      return { authorization: `Bearer ${token}` }
    }),
  )
}
