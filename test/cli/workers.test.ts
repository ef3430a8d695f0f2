/** model-api serve --workers: several processes at one address, replaced when they end, ended together. */
import { fileURLToPath } from 'node:url'
import { passwords } from '../auth/people.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import {
  type Answer,
  baseIn,
  type Connection,
  connections,
  numberOf,
  pidsIn,
  runs,
} from './processes.ts'
import { peopleTarget, started } from './support.ts'

runsOn('one server of each engine')

const module = fileURLToPath(new URL('./served-api.ts', import.meta.url))

eachDatabase('model-api serve --workers', (test, db) => {
  let running: ReturnType<typeof started>
  let text: string
  let both: ReadonlyMap<number, Connection>
  let a: Connection
  let b: Connection
  test.before(async () => {
    const args = ['serve', module, '--workers', '2', '--port', '0']
    running = started(args, { TARGET: await peopleTarget(db) })
    text = await running.until(/workers: processes .*\n/)
    both = await connections(baseIn(text), 2)
    ;[a, b] = [...both.values()] as [Connection, Connection]
  })
  test.after(() => void running.process.kill('SIGKILL'))

  test('both serve the same address, and start-up messages are printed once', () => {
    equal(new Set(both.keys()), new Set(pidsIn(text)))
    equal(both.has(running.process.pid ?? 0), false)
    for (const line of ['Loading ', 'It publishes users, books.', 'Listening at ', '2 workers: ']) {
      equal(numberOf(text, line), 1, line)
    }
  })

  test('a refresh token from one worker is accepted by the other, and only once in total', async () => {
    const refresh = (by: Connection, { body }: Answer) =>
      by.ask('POST', '/auth/refresh', { refresh_token: body.value.refresh_token })
    const account = { username: 'ann', password: passwords.ann }
    const first = await a.ask('POST', '/auth/login', account)
    const second = await refresh(b, first)
    const third = await refresh(a, second)
    equal([first.status, second.status, third.status], [200, 200, 200])
    equal((await refresh(b, second)).status, 403)
    equal((await refresh(a, first)).status, 403)
  })

  test('both write at the same time', async () => {
    const before = (await a.ask('GET', '/api/books')).body.total_count
    const writing = async (by: Connection, name: string) => {
      const statuses = []
      for (let i = 0; i < 20; i++) {
        statuses.push((await by.ask('POST', '/api/books', { title: `${name} ${i}` })).status)
      }
      return statuses
    }
    const statuses = await Promise.all([writing(a, 'a'), writing(b, 'b')])
    equal(statuses.flat(), Array(40).fill(201))
    equal((await b.ask('GET', '/api/books')).body.total_count, before + 40)
  })

  test('a killed worker is replaced; the other serves requests meanwhile', async () => {
    const [killed = 0, other = 0] = both.keys()
    process.kill(killed, 'SIGKILL')
    equal((await b.ask('GET', '/api/books/1')).body.pid, other)
    const said = await running.until(/Worker \d+ serves\./)
    match(said, `Worker ${killed} ended (signal SIGKILL). Another is started.`)
    both = await connections(baseIn(text), 2)
    equal([both.size, both.has(other), both.has(killed)], [2, true, false])
  })

  test('SIGTERM ends all of them', async () => {
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
    equal(numberOf(await running.written(), 'Stopping'), 1)
    equal([...both.keys()].filter(runs), [])
  })
})
