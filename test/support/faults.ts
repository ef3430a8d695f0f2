/** What tests of faults share: the ways to a database, models of their own, and what would have ended the process. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { preparedMysql, preparedPg } from '@model-api/core/prepared'
import { openDatabase } from '@model-api/http-node'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { closeAtEnd } from './registry.ts'
import type { ServerName } from './servers.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
export type AnyKysely = Kysely<any>

/** How a host comes to its Kysely instance. */
export const pools = ['openDatabase', 'a wrapped pool', 'a pool of the host'] as const
export type PoolKind = (typeof pools)[number]

/** A Kysely instance on a server, closed when the file ends. */
export async function openPool(
  kind: PoolKind,
  name: ServerName,
  url: string,
  size: number,
): Promise<AnyKysely> {
  const db = kind === 'openDatabase' ? await opened(url, size) : hostPool(kind, name, url, size)
  closeAtEnd(() => destroyed(db))
  return db
}

const opened = async (url: string, size: number): Promise<AnyKysely> =>
  (await openDatabase(url, { connections: size })).db

function hostPool(kind: PoolKind, name: ServerName, url: string, size: number): AnyKysely {
  const wrapped = kind === 'a wrapped pool'
  if (name === 'mysql') {
    const pool = createPool({ uri: url, connectionLimit: size })
    return new Kysely({ dialect: new MysqlDialect({ pool: wrapped ? preparedMysql(pool) : pool }) })
  }
  const pool = new pg.Pool({ connectionString: url, max: size })
  if (!wrapped) {
    // The two lines that docs/deployment.md asks for.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }
  return new Kysely({ dialect: new PostgresDialect({ pool: wrapped ? preparedPg(pool) : pool }) })
}

/** A pool with a lost connection may wait for it for ever. */
const destroyed = (db: AnyKysely): Promise<void> =>
  Promise.race([db.destroy(), new Promise<void>((resolve) => setTimeout(resolve, 500))])

/** A table of things, and its model; `slow` takes as many seconds as it is asked for. */
export const thingsScript = `create table things (id integer primary key, name varchar(40) not null);
  insert into things values (1, 'one'), (2, 'two');`

export const Thing: AnyModel = defineModel('Thing', {
  table: 'things',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'DELETE'] },
})

/** Remembers what would have ended the process. */
export function uncaughtErrors(): { readonly errors: string[]; stop(): void } {
  const errors: string[] = []
  const keep = (error: unknown): void => void errors.push(String(error))
  process.on('uncaughtException', keep).on('unhandledRejection', keep)
  return {
    errors,
    stop: () => void process.off('uncaughtException', keep).off('unhandledRejection', keep),
  }
}

/** An API whose log is a list. */
export function loggingApi(
  db: AnyKysely,
  models: readonly AnyModel[],
  options: Partial<Parameters<typeof createApi>[0]> = {},
): { api: ReturnType<typeof createApi>; errors: unknown[]; warnings: string[] } {
  const errors: unknown[] = []
  const warnings: string[] = []
  const api = createApi({
    db,
    models,
    onError: (error) => void errors.push(error),
    onWarning: (message) => void warnings.push(message),
    ...options,
  })
  return { api, errors, warnings }
}
