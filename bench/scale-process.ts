/** Starts an API with many models in a separate process and sends one figure: `scale-process.ts <file> <what>`. */
import { createApi } from '@model-api/core'
import { preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { manyModels } from './scale-models.ts'

export interface Figure {
  /** Milliseconds of elapsed time, or bytes. */
  readonly value: number
  /** Milliseconds of CPU, which depend less on other load of the machine. */
  readonly processor?: number
}

/** The figures. Each is measured in a separate process, so that no measurement warms up or burdens another one. */
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

/** Returns the memory that the process uses after a garbage collection. */
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
      return timed(async () => await api.openapi())
    case 'heapWithDocument':
      await api.openapi()
      return heap()
    case 'size':
      return { value: Buffer.byteLength(JSON.stringify(await api.openapi())) }
    case 'paths':
      return { value: Object.keys((await api.openapi()).paths ?? {}).length }
  }
}

process.send?.(await measure())
await db.destroy()
