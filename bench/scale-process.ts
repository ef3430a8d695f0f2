/** One start with many models in a process of its own, `scale-process.ts <file> <what>`; sends one figure. */
import { createApi } from '@model-api/core'
import { preparedSqlite } from '@model-api/core/prepared'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { manyModels } from './scale-models.ts'

export interface Figure {
  /** Milliseconds by the clock, or bytes. */
  readonly value: number
  /** Milliseconds of the processor, which other work on the machine disturbs less. */
  readonly processor?: number
}

/** Each in a process of its own, so that none is warmed up, or burdened, by another. */
export type What = 'ready' | 'heap' | 'request' | 'document' | 'heapWithDocument' | 'size' | 'paths'

const [file = '', what = ''] = process.argv.slice(2)
const db = new Kysely<Record<string, never>>({
  dialect: new SqliteDialect({ database: preparedSqlite(new Sqlite(file)) }),
})
const models = manyModels()

async function start() {
  const api = createApi({
    db,
    models,
    config: { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true },
  })
  await api.ready
  return api
}

async function timed(run: () => unknown): Promise<Figure> {
  const [before, used] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(used)
  return { value: performance.now() - before, processor: (user + system) / 1000 }
}

/** What all of the process has in use after a collection. */
function heap(): Figure {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  return { value: process.memoryUsage().heapUsed }
}

async function measure(): Promise<Figure> {
  if (what === 'ready') return timed(start)
  const api = await start()
  const request = async (): Promise<void> => {
    const path = api.registry.resources[0]?.paths[0]
    const url = `/api/${path}?pieces__ge=3&order_by=-title&limit=10`
    const { status } = await api.handle({ method: 'GET', url })
    if (status !== 200) throw new Error(`the first request was answered with ${status}`)
  }
  switch (what as Exclude<What, 'ready'>) {
    case 'heap':
      return heap()
    case 'request':
      return timed(request)
    case 'document':
      return timed(() => api.openapi())
    case 'heapWithDocument':
      api.openapi()
      return heap()
    case 'size':
      return { value: Buffer.byteLength(JSON.stringify(api.openapi())) }
    case 'paths':
      return { value: Object.keys(api.openapi().paths ?? {}).length }
  }
}

process.send?.(await measure())
await db.destroy()
