/** Compiles `stop` of docs/guide/deployment.md, and ends a server of Express with it. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { modelApi } from '@model-api/adapter-express'
import { type Api, defineModel } from '@model-api/core'
import express from 'express'
import { testApi } from '../support/api.ts'
import { equal, rejects } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const section =
  readSource('docs/guide/deployment.md').split('\n### A server of your own\n')[1] ?? ''
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
const [definition = ''] = code.split('\nconst server = ')

const Note = defineModel('Note', {
  columns: { id: { type: 'integer', primaryKey: true, generated: true } },
  meta: {},
})

suite('docs/guide/deployment.md: a server of your own', (test) => {
  test('drains, answers what runs, and ends', async () => {
    const { stop } = (await compiled(`/// <reference types="node" />
import type { Api } from '@model-api/core'
import type { Kysely } from 'kysely'
type Database = Record<string, never>
${definition}
export { stop }\n`)) as {
      stop(server: Server, api: Api, db: TestDatabase['kysely'], delay: number): Promise<void>
    }
    const [db] = openDatabases() as [TestDatabase]
    await createTables(db, [Note])
    const signals = new EventTarget()
    const inside = once(signals, 'inside')
    const end = once(signals, 'end')
    const api = testApi(db, [Note], {
      API_HEALTH_ROUTE: '/health',
      API_RETURN_CALLBACK: async (value) => {
        signals.dispatchEvent(new Event('inside'))
        await end
        return value
      },
    })
    await api.ready
    const server = express().use(modelApi(api)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    equal(await statusOf('/health/ready'), 200)

    const running = statusOf('/api/notes')
    await inside
    const stopped = stop(server, api, db.kysely, 2000)
    equal(await statusOf('/health/ready'), 503)
    while (server.listening) await sleep(20)
    await rejects(statusOf('/api/notes'))
    signals.dispatchEvent(new Event('end'))
    equal(await running, 200)
    await stopped
    equal(server.listening, false)
    await rejects(db.kysely.selectFrom('notes').selectAll().execute())
  })
})
