/** A separate process with an API on a SQLite file: writes a number of records at once, each with an Idempotency-Key. */
import { createApi, defineModel } from '@model-api/core'
import { openDatabase } from '@model-api/http-node'

const [file = ''] = process.argv.slice(2)

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

const { db, close } = await openDatabase(file)
const api = createApi({ db, models: [Note], env: {} })

process.on('message', async (times: number) => {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, i) =>
      api.handle({
        method: 'POST',
        url: '/api/notes',
        headers: { 'idempotency-key': `a-key-of-sixteen-characters-${i}` },
        body: { label: `key ${i}` },
      }),
    ),
  )
  process.send?.(answers.map(({ status }) => status))
})
process.on('disconnect', () => void close().then(() => process.exit()))
