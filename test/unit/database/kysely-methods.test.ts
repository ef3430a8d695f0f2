/** The statements that a lease takes on a connection: all of them, for one lease at a time, and none after its end. */
import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import {
  answerStatements,
  interceptStatements,
  isIntercepted,
} from '../../../packages/core/src/database/statements/kysely-methods.ts'
import { equal, rejects } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** A connection that notes what it sends. */
class Noting implements DatabaseConnection {
  readonly sent: string[] = []

  async executeQuery<R>({ sql }: CompiledQuery): Promise<QueryResult<R>> {
    this.sent.push(sql)
    return { rows: [] }
  }

  // biome-ignore lint/correctness/useYield: no test reads a stream
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('not used')
  }
}

const send = (connection: DatabaseConnection, sql: string): Promise<unknown> =>
  connection.executeQuery(CompiledQuery.raw(sql))

const take = (connection: DatabaseConnection, mark: string) =>
  interceptStatements(connection, (own) => ({
    execute: (compiled) => own({ ...compiled, sql: `${mark} ${compiled.sql}` }),
  }))

suite('the statements that a lease takes', (test) => {
  test('pass through its sender until they are released', async () => {
    const connection = new Noting()
    const taken = take(connection, 'first')
    equal(isIntercepted(connection), true)
    await send(connection, 'a')
    taken?.release()
    equal(isIntercepted(connection), false)
    await send(connection, 'b')
    equal(connection.sent, ['first a', 'b'])
  })

  test('belong to the first of two requests on one connection', async () => {
    const connection = new Noting()
    const first = take(connection, 'first')
    equal(take(connection, 'second'), undefined)
    await send(connection, 'a')
    first?.release()
    const second = take(connection, 'second')
    await send(connection, 'b')
    second?.release()
    equal(connection.sent, ['first a', 'second b'])
  })

  test('pass by its sender after the end, also through a log that still calls it', async () => {
    const connection = new Noting()
    const taken = take(connection, 'first')
    const { executeQuery }: DatabaseConnection = connection
    const logging: DatabaseConnection['executeQuery'] = (compiled, options) =>
      executeQuery.call(connection, compiled, options) as never
    connection.executeQuery = logging as never
    await send(connection, 'a')
    taken?.release()
    await send(connection, 'b')
    equal(connection.sent, ['first a', 'b'])
  })

  test('are never sent again on a connection that was closed meanwhile', async () => {
    const connection = new Noting()
    const taken = take(connection, 'first')
    answerStatements(connection, () => Promise.reject(new Error('closed')))
    taken?.release()
    await rejects(send(connection, 'a'), /closed/)
    equal(connection.sent, [])
  })
})
