// The users who may log in: one for each role, each with a review of their own.

import { hashPassword } from '@model-api/core'
import type { Kysely } from 'kysely'

/** The passwords are public; the demo is meant for this machine only. */
export const users = [
  { id: 1, username: 'ada', password: 'ada-admin', roles: ['admin', 'editor', 'viewer'] },
  { id: 2, username: 'emil', password: 'emil-editor', roles: ['editor', 'viewer'] },
  { id: 3, username: 'vera', password: 'vera-viewer', roles: ['viewer'] },
] as const

/** Creates the users, and sets them as owners of the first reviews; the others have no owner. */
// biome-ignore lint/suspicious/noExplicitAny: no type knows the tables before they exist.
export async function createUsers(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('username', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('roles', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .alterTable('reviews')
    .addColumn('user_id', 'integer', (c) => c.references('users.id'))
    .execute()
  await db.schema.createIndex('reviews_user_id').on('reviews').column('user_id').execute()
  for (const { id, username, password, roles } of users) {
    const password_hash = await hashPassword(password)
    await db
      .insertInto('users')
      .values({ id, username, password_hash, roles: JSON.stringify(roles) })
      .execute()
    await db.updateTable('reviews').set({ user_id: id }).where('id', '=', id).execute()
  }
}
