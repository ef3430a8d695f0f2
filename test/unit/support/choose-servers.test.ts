/** Which servers run: those that are named, except those that a file excludes. */
import { equal, throws } from '../../support/assert.ts'
import { covered, namesWithoutServer, narrower, onlyServers } from '../../support/choose-servers.ts'
import type { Engine, Server } from '../../support/servers.ts'
import { suite } from '../../support/suite.ts'

const server = (engine: Engine, version: string, url: string | undefined = 'there'): Server => ({
  kind: engine === 'postgres' ? 'postgres' : 'mysql',
  engine,
  version,
  label: `${engine} ${version}`.trim(),
  url,
  note: '',
})
const absent = (engine: Engine): Server => ({ ...server(engine, ''), url: undefined })

const all = [
  server('postgres', '15.14'),
  server('postgres', '18.1'),
  server('mariadb', '10.11.14'),
  server('mariadb', '11.8.3'),
  server('mysql', '9.7.0'),
]
const here = (servers: readonly Server[]): readonly string[] =>
  servers.filter(({ url }) => url !== undefined).map(({ label }) => label)

suite('servers that are named', (test) => {
  const named = (...names: string[]) => here(onlyServers(all, names))

  test('an engine means every server of it', () => {
    equal(named('postgres'), ['postgres 15.14', 'postgres 18.1'])
    equal(named('mariadb'), ['mariadb 10.11.14', 'mariadb 11.8.3'])
    equal(named('mysql'), ['mysql 9.7.0'])
    equal(named('sqlite'), [])
    equal(named('sqlite', 'mysql', 'postgres@15'), ['postgres 15.14', 'mysql 9.7.0'])
  })

  test('a version means those that begin with it', () => {
    equal(named('postgres@18'), ['postgres 18.1'])
    equal(named('mariadb@10.11'), ['mariadb 10.11.14'])
    equal(named('mariadb@10.1'), [])
  })

  test('without a server are reported', () => {
    equal(namesWithoutServer(all, ['sqlite', 'postgres@18', 'mariadb@10.1', 'mysql@8']), [
      'mariadb@10.1',
      'mysql@8',
    ])
    equal(namesWithoutServer([absent('mariadb')], ['mariadb']), ['mariadb'])
  })

  test('are an error if the name is misspelt', () => {
    for (const name of ['marladb', 'pg', 'postgres@', 'Postgres', '', '18', 'toString']) {
      throws(() => onlyServers(all, [name]), `"${name}" is no database`)
    }
  })
})

suite('servers that a file runs on', (test) => {
  test('are all of them by default', () => {
    equal(here(covered(all, undefined)).length, 5)
  })

  test('are the first available one of each kind or engine', () => {
    equal(here(covered(all, 'one server of each kind')), ['postgres 15.14', 'mariadb 10.11.14'])
    equal(here(covered(all, 'one server of each engine')), [
      'postgres 15.14',
      'mariadb 10.11.14',
      'mysql 9.7.0',
    ])
    const chosen = onlyServers(all, ['postgres@18', 'mysql'])
    equal(here(covered(chosen, 'one server of each kind')), ['postgres 18.1', 'mysql 9.7.0'])
  })

  test('are none for files that need only SQLite', () => {
    equal(here(covered(all, 'SQLite alone')), [])
  })

  test('are the fewer of those that the file and the runner choose', () => {
    equal(narrower(undefined, 'one server of each kind'), 'one server of each kind')
    equal(narrower('one server of each engine', 'SQLite alone'), 'SQLite alone')
    equal(narrower('SQLite alone', 'one server of each engine'), 'SQLite alone')
    equal(
      narrower('SQLite alone', 'servers that it starts itself'),
      'servers that it starts itself',
    )
  })

  test('include a missing kind, which is reported', () => {
    const some = [absent('postgres'), server('mysql', '9.7.0'), absent('mariadb')]
    equal(
      covered(some, 'one server of each engine').map(({ label }) => label),
      ['postgres', 'mysql 9.7.0'],
    )
  })
})
