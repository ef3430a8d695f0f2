/** Chooses servers: by names such as those of `--database`, and by what a test file declares. */
import type { Engine, Server, Servers } from './servers.ts'

const engines: readonly Engine[] = ['sqlite', 'postgres', 'mariadb', 'mysql']

/** The servers that a file runs on, if it does not run on every one. */
export type Coverage =
  | 'SQLite alone'
  | 'one server of each kind'
  | 'one server of each engine'
  | 'servers that it starts itself'

/** Returns the coverage with fewer servers. */
export function narrower(one: Coverage | undefined, other: Coverage): Coverage {
  const byNumber: readonly (Coverage | undefined)[] = [
    'servers that it starts itself',
    'SQLite alone',
    'one server of each kind',
    'one server of each engine',
    undefined,
  ]
  return byNumber.indexOf(one) < byNumber.indexOf(other) ? (one as Coverage) : other
}

interface Name {
  readonly engine: Engine
  readonly version: string | undefined
}

/**
 * Reads a name of `--database` or REQUIRE_DATABASES; throws if it is misspelt.
 *
 * readName('postgres@18') // { engine: 'postgres', version: '18' }
 */
export function readName(text: string): Name {
  const [engine = '', version] = text.split('@', 2)
  if (!isEngine(engine) || version === '') {
    throw new Error(
      `"${text}" is no database: it takes ${engines.join(', ')}, also with a version, as postgres@18`,
    )
  }
  return { engine, version }
}

const isEngine = (text: string): text is Engine => (engines as readonly string[]).includes(text)

/** Whether a server has the engine and, if the name has one, the version: `10.11` matches 10.11.4. */
function isNamed(server: Server, { engine, version }: Name): boolean {
  if (server.url === undefined || server.engine !== engine) return false
  return version === undefined || `${server.version}.`.startsWith(`${version}.`)
}

/** The names for which there is no server. SQLite always exists. */
export function namesWithoutServer(servers: Servers, names: readonly string[]): readonly string[] {
  return names.filter((text) => {
    const name = readName(text)
    return name.engine !== 'sqlite' && !servers.some((server) => isNamed(server, name))
  })
}

/** Returns the servers with each server that is not named marked as missing. */
export function onlyServers(servers: Servers, names: readonly string[]): Servers {
  const wanted = names.map(readName)
  return servers.map((server) =>
    wanted.some((name) => isNamed(server, name))
      ? server
      : { ...server, url: undefined, note: 'not asked for' },
  )
}

/** The servers that a file runs on. If all servers of a kind are missing, one entry remains, which says why. */
export function covered(servers: Servers, coverage: Coverage | undefined): Servers {
  if (coverage === undefined) return servers
  if (coverage === 'SQLite alone') return []
  const groupOf = ({ kind, engine }: Server): string =>
    coverage === 'one server of each engine' ? engine : kind
  const here = servers.filter(({ url }) => url !== undefined)
  const missing = servers.filter(({ kind }) => here.every((other) => other.kind !== kind))
  const first = new Map<string, Server>()
  for (const server of [...here, ...missing]) {
    if (!first.has(groupOf(server))) first.set(groupOf(server), server)
  }
  return servers.filter((server) => first.get(groupOf(server)) === server)
}
