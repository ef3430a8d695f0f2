/**
 * A measured server in several processes that share its port: `cluster.ts <workers> <system> <database>`. Reports in the same way
 * as `server.ts`.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Listening, Used } from './server.ts'

const [count, ...args] = process.argv.slice(2)
cluster.setupPrimary({ exec: fileURLToPath(new URL('server.ts', import.meta.url)), args })
const workers = Array.from({ length: Number(count) }, () => cluster.fork())

async function told<T>(worker: Worker): Promise<T> {
  const [message] = await once(worker, 'message')
  return message
}

for (const worker of workers) worker.on('exit', () => process.exit(1))
const listening = await Promise.all(workers.map((worker) => told<Listening>(worker)))
process.send?.({
  port: listening[0]?.port ?? 0,
  pids: listening.flatMap(({ pids = [] }) => pids),
} satisfies Listening)

process.on('message', async () => {
  const all = await Promise.all(
    workers.map((worker) => {
      worker.send('used')
      return told<Used>(worker)
    }),
  )
  const sum = (of: 'cpu' | 'statements' | 'memory'): number =>
    all.reduce((total, used) => total + (used[of] ?? 0), 0)
  // The CPU of the primary process counts too: it hands connections over to the workers.
  const { user, system } = process.cpuUsage()
  process.send?.({
    cpu: sum('cpu') + user + system,
    statements: sum('statements'),
    memory: sum('memory') + process.resourceUsage().maxRSS / 1024,
  } satisfies Used)
})
process.on('disconnect', () => process.exit())
