/** A server ends a connection in the packet that reports it as ready, before the pool has handed out the client. */
import { createServer, type Server } from 'node:net'
import { preparedPg } from '@model-api/core/drivers'
import pg from 'pg'
import { ok } from '../support/assert.ts'
import { freePort } from '../support/free-port.ts'
import { suite } from '../support/suite.ts'

/** A message of the protocol: its type, its length, its body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', Buffer.from('I'))
const ended = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
)

async function standIn(): Promise<{ readonly server: Server; readonly port: number }> {
  const port = await freePort()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { server, port }
}

suite('a PostgreSQL connection that is ended when it becomes ready', (test) => {
  test('fails its statement, and does not end the process', async () => {
    const { server, port } = await standIn()
    const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'ann', database: 'library', max: 1 })
    const prepared = preparedPg(pool)
    const outcomes = []
    for (let i = 0; i < 3; i++) {
      outcomes.push(
        await prepared
          .connect()
          .then(async (client) => {
            await client.query('select 1', [])
            return 'answered'
          })
          .catch((error: unknown) => String(error)),
      )
    }
    ok(!outcomes.includes('answered'), outcomes.join(', '))
    await pool.end()
    server.close()
  })
})
