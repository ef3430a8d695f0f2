/** The database server stops, orderly or as in a crash, and starts again: the service responds throughout and recovers by itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import { baseIn } from '../cli/processes.ts'
import { started } from '../cli/support.ts'
import { equal, ok } from '../support/assert.ts'
import { runScript } from '../support/databases.ts'
import {
  type AnyKysely,
  loggingApi,
  openPool,
  pools,
  Thing,
  thingsScript,
  uncaughtErrors,
} from '../support/faults.ts'
import { closeAtEnd } from '../support/registry.ts'
import { type PrivateServer, type ServerName, startServer } from '../support/servers.ts'
import { notRun, runsAtOnce, runsOn, suite } from '../support/suite.ts'

runsOn('servers that it starts itself')
runsAtOnce(4)

const size = 3
const headers = { 'content-type': 'application/json' }

for (const name of ['postgres', 'mysql'] as const satisfies ServerName[]) {
  const server = await startServer(name)
  if ('lacks' in server) {
    notRun(`a restart of the server (${name})`, server.lacks)
    continue
  }
  closeAtEnd(() => server.remove())
  define(name, server)
}

function define(name: ServerName, server: PrivateServer): void {
  suite(`a restart of the server [${name}]`, (test) => {
    test.before(() => runScript(name, server.url, thingsScript))

    for (const kind of pools) {
      test(`under load, ${kind}: requests are answered, and served again afterwards`, async () => {
        const db: AnyKysely = await openPool(kind, name, server.url, size)
        const uncaught = uncaughtErrors()
        const { api } = loggingApi(db, [Thing])
        await api.ready
        const statuses = new Set<number>()
        let over = false
        const ask = async (id: number): Promise<void> => {
          while (!over) {
            const url = `/api/things/${id}`
            const body = { name: 'changed' }
            statuses.add((await api.handle({ method: 'PATCH', url, headers, body })).status)
            statuses.add((await api.handle({ method: 'GET', url: '/api/things' })).status)
            // A refused connection fails immediately, so the loop must pause.
            await sleep(20)
          }
        }
        const asking = [1, 2, 1, 2, 1, 2].map(ask)
        for (const end of [server.kill, server.stop]) {
          await sleep(200)
          await end()
          await sleep(200)
          await server.start()
        }
        await sleep(200)
        over = true
        await Promise.all(asking)
        uncaught.stop()
        equal([uncaught.errors, [...statuses].sort()], [[], [200, 503]])
        const answers = Array.from({ length: 2 * size }, () =>
          api.handle({ method: 'GET', url: '/api/things/1' }),
        )
        equal(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]))
      })
    }

    test('model-api serve goes on', async () => {
      const served = started(['serve', server.url, '--port', '0', '--only', 'things'])
      const base = baseIn(await served.until(/Listening at \S+/))
      const statuses = new Set<number>()
      let over = false
      const ask = async (): Promise<void> => {
        while (!over) {
          const answer = await fetch(`${base}/api/things`)
          await answer.arrayBuffer()
          statuses.add(answer.status)
          await sleep(20)
        }
      }
      const asking = [1, 2, 3, 4].map(ask)
      for (const end of [server.kill, server.stop]) {
        await sleep(200)
        await end()
        await sleep(200)
        await server.start()
      }
      await sleep(200)
      over = true
      await Promise.all(asking)
      ok(served.process.exitCode === null)
      equal([...statuses].sort(), [200, 503])
      equal((await fetch(`${base}/api/things`)).status, 200)
      served.process.kill('SIGTERM')
      equal(await served.ended, 0)
    })
  })
}
