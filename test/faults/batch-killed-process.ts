/** A separate process that sends one batch, and kills itself (kill -9) before one of its statements. */
import { createApi } from '@model-api/core'
import { Kysely } from 'kysely'
import { dialectOf, Note, operations, type Place, watched } from './batch-statements.ts'

export interface KilledBatch extends Place {
  /** The statement before which it kills itself, counted from 1. If there are fewer statements, the process is not killed. */
  readonly killedBefore: number
  readonly label: string
}

if (process.argv[1] === import.meta.filename) {
  const asked = JSON.parse(process.argv[2] ?? '') as KilledBatch
  let count = 0
  let counts = false
  const beforeStatement = (): void => {
    if (counts && ++count === asked.killedBefore) process.kill(process.pid, 'SIGKILL')
  }
  const api = createApi({
    db: new Kysely<unknown>({ dialect: watched(await dialectOf(asked), beforeStatement) }),
    models: [Note],
    config: { API_ALLOW_BATCH: true, API_ALLOW_BULK: true, API_SCHEMA_CHECK: 'off' },
    onWarning: () => {},
  })
  await api.ready
  counts = true
  const { status } = await api.handle({
    method: 'POST',
    url: '/api/batch',
    headers: { 'content-type': 'application/json' },
    body: { operations: operations(asked.label) },
  })
  process.send?.({ status, count })
  process.disconnect?.()
  process.exit()
}
