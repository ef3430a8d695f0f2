// Accounts and sessions: a cookie that scripts cannot read, and a token against cross-site requests, which only the app's own
// pages know.

import { type ApiRequest, apiError, hashApiKey, hashPassword, passwordCheck } from '@model-api/core'
import type { Kysely } from 'kysely'
import type { Database } from './models.ts'
import type { Caller } from './rules.ts'

const hours = 12
const passwordMatches = passwordCheck('password_hash')
/** Checked for unknown addresses, so that both responses take the same time. */
const nobody = { id: '', password_hash: await hashPassword(crypto.randomUUID()) }

export interface Session {
  readonly cookie: string
  /** Sent in the header `x-csrf-token` of every request that writes. */
  readonly csrf_token: string
}

async function startSession(db: Kysely<Database>, member_id: string): Promise<Session> {
  const token = crypto.randomUUID()
  const csrf_token = crypto.randomUUID()
  const session = {
    token_hash: await hashApiKey(token),
    csrf_token,
    member_id,
    expires: String(Date.now() + hours * 3_600_000),
  }
  await db.insertInto('sessions').values(session).execute()
  return {
    cookie: `session=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${hours * 3600}`,
    csrf_token,
  }
}

const tokenIn = (cookies = ''): string => /(?:^|; )session=([^;]*)/.exec(cookies)?.[1] ?? ''

/** Returns the sender of the request: the member of its session. */
export async function callerOf(
  db: Kysely<Database>,
  { method, headers }: ApiRequest,
): Promise<Caller | undefined> {
  const session = await db
    .selectFrom('sessions')
    .innerJoin('members', 'members.id', 'sessions.member_id')
    .select(['members.id', 'organisation_id', 'role', 'csrf_token', 'expires'])
    .where('token_hash', '=', await hashApiKey(tokenIn(String(headers?.cookie))))
    .executeTakeFirst()
  if (session === undefined || Number(session.expires) < Date.now()) return undefined
  const reads = ['GET', 'HEAD', 'QUERY'].includes(method)
  if (!reads && headers?.['x-csrf-token'] !== session.csrf_token) {
    throw apiError(403, 'Forbidden', 'The header x-csrf-token is missing or wrong.')
  }
  return { id: session.id, organisation_id: session.organisation_id, roles: [session.role] }
}

export interface SignUp {
  readonly organisation: string
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Creates an organisation and its owner. */
export async function signUp(
  db: Kysely<Database>,
  { organisation, name, email, password }: SignUp,
): Promise<Session> {
  const password_hash = await hashPassword(password)
  const taken = await db
    .selectFrom('members')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (taken) throw apiError(409, 'Conflict', { email: ['Another member has this address.'] })
  return db.transaction().execute(async (transaction) => {
    const organisation_id = crypto.randomUUID()
    await transaction
      .insertInto('organisations')
      .values({ id: organisation_id, name: organisation })
      .execute()
    const id = crypto.randomUUID()
    const owner = {
      id,
      organisation_id,
      name,
      email,
      role: 'owner',
      password_hash,
      invitation: null,
    } as const
    await transaction.insertInto('members').values(owner).execute()
    return startSession(transaction, id)
  })
}

/** Lets an invited member choose a password. */
export async function accept(
  db: Kysely<Database>,
  invitation: string,
  password: string,
): Promise<Session> {
  const member = await db
    .selectFrom('members')
    .select('id')
    .where('invitation', '=', invitation)
    .executeTakeFirst()
  if (member === undefined) throw apiError(404, 'Not Found', 'No such invitation.')
  const changes = { password_hash: await hashPassword(password), invitation: null }
  await db.updateTable('members').set(changes).where('id', '=', member.id).execute()
  return startSession(db, member.id)
}

export async function logIn(
  db: Kysely<Database>,
  email: string,
  password: string,
): Promise<Session> {
  const members = db
    .selectFrom('members')
    .select(['id', 'password_hash'])
    .where('email', '=', email)
  const member = (await members.executeTakeFirst()) ?? nobody
  if (!(await passwordMatches(member, password))) {
    throw apiError(401, 'Unauthorized', 'Wrong address or password.')
  }
  return startSession(db, member.id)
}

export async function logOut(db: Kysely<Database>, cookies: string | undefined): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('token_hash', '=', await hashApiKey(tokenIn(cookies)))
    .execute()
}
