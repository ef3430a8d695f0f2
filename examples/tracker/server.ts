// The server. DATABASE_URL is a PostgreSQL URL or a SQLite file, PORT the port.

import { createTracker } from './api.ts'
import { createApp } from './app.ts'
import { openDatabase } from './database.ts'

const db = await openDatabase(process.env.DATABASE_URL)
// Replaces a queue. A record includes its hidden columns, so this function chooses what leaves the process.
const api = createTracker(db, ({ type, record }) => {
  console.log(type, record.id, record.invitation ?? '')
})
await api.ready

const server = createApp(db, api).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : address
  const url = `http://127.0.0.1:${port}`
  console.log(`Listening at ${url}
  curl -c jar '${url}/api/sign-up' -H 'content-type: application/json' -d '{"organisation":"Acme","name":"Ann","email":"ann@acme.example","password":"correct horse"}'
  curl -b jar '${url}/api/projects' -H 'content-type: application/json' -H 'x-csrf-token: <csrf_token>' -d '{"name":"Website"}'
  curl -b jar '${url}/api/projects?dump=json'`)
})

const stop = async (): Promise<void> => {
  server.close()
  server.closeIdleConnections()
  await api.close()
  await db.destroy()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
