/** Finds the database servers of a test run; starts private ones for the runner, and for tests that break them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** The protocol of a server. */
export type ServerName = 'postgres' | 'mysql'

/** The database engine; MariaDB and MySQL have the same protocol. */
export type Engine = 'sqlite' | 'postgres' | 'mariadb' | 'mysql'

/** A server for tests, or an entry that says why there is none. */
export interface Server {
  readonly kind: ServerName
  readonly engine: Engine
  /** For example `18.1`; empty if there is no server. */
  readonly version: string
  /** For example `PostgreSQL 18.1`; unique in a run. */
  readonly label: string
  readonly url: string | undefined
  /** Where it runs, or why there is none. */
  readonly note: string
}

/** The servers of a run. Tests that need one server of a kind use the first of that kind. */
export type Servers = readonly Server[]

/** A private server on loopback, in a temporary folder, which a test may stop and kill. */
export interface PrivateServer {
  readonly url: string
  readonly port: number
  /** Starts it again after `stop` or `kill`, with the same data and port. */
  start(): Promise<void>
  /** Shuts it down and closes its connections. */
  stop(): Promise<void>
  /** Kills it, as in a crash. */
  kill(): Promise<void>
  /** Pauses its processes: connections stay open, but nothing is answered until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

interface Kind {
  readonly name: ServerName
  readonly variable: string
  readonly local: string
  /** The name of the server until its engine and version are known. */
  readonly title: string
  /** Reads engine and version from the server; rejects if it cannot be reached. */
  identity(url: string): Promise<Identity>
  /** Prepares a private server; a text says what is missing for it. */
  install(): Promise<Installed | { lacks: string }>
}

interface Identity {
  readonly engine: Engine
  readonly version: string
}

/** A prepared server that is not started yet. */
interface Installed {
  readonly folder: string
  readonly port: number
  readonly url: string
  /** Shuts the server down without waiting for its clients. */
  readonly signal: NodeJS.Signals
  spawn(): ChildProcess
}

const run = promisify(execFile)
const stops: (() => Promise<void>)[] = []
const children = new Set<ChildProcess>()
const folders = new Set<string>()

const kinds: readonly Kind[] = [
  {
    name: 'postgres',
    variable: 'TEST_POSTGRES_URL',
    local: 'postgres://postgres@127.0.0.1:5432/postgres',
    title: 'PostgreSQL',
    identity: postgresIdentity,
    install: installPostgres,
  },
  {
    name: 'mysql',
    variable: 'TEST_MYSQL_URL',
    local: 'mysql://root@127.0.0.1:3306/mysql',
    title: 'MySQL or MariaDB',
    identity: mysqlIdentity,
    install: () => installMysql(),
  },
]

const titles: Readonly<Record<Engine, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  mariadb: 'MariaDB',
  mysql: 'MySQL',
}

/** Returns the servers that the environment names. For a kind without one, returns a server of this machine. */
export async function findServers(): Promise<Servers> {
  const found = (await Promise.all(kinds.map(serversOf))).flat()
  const labels = new Map<string, number>()
  return found.map((server) => {
    const number = (labels.get(server.label) ?? 0) + 1
    labels.set(server.label, number)
    return number === 1 ? server : { ...server, label: `${server.label} (${number})` }
  })
}

/** Stops what `findServers` started and removes its folders. */
export async function stopServers(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()))
}

/** Stops the servers also if the run is interrupted. */
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

async function serversOf(kind: Kind): Promise<readonly Server[]> {
  const given = (process.env[kind.variable] ?? '').split(/[\s,]+/).filter((url) => url !== '')
  if (given.length === 0) return [await foundHere(kind)]
  return Promise.all(given.map((url) => (url === 'local' ? foundHere(kind) : named(kind, url))))
}

/** Returns a server that the environment names. If it cannot be reached, returns an entry that says so, and looks for no other server. */
async function named(kind: Kind, url: string): Promise<Server> {
  const missing = (why: string): Server => ({
    ...noServer(kind, why),
    label: `${kind.title} at ${placeOf(url)}`,
  })
  if (!URL.canParse(url)) return missing(`${kind.variable} has "${url}", which is no URL`)
  return probe(kind, url, kind.variable).catch((error: unknown) =>
    missing(`it is named in ${kind.variable} and cannot be reached: ${reason(error)}`),
  )
}

const placeOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const noServer = (kind: Kind, why: string): Server => ({
  kind: kind.name,
  engine: kind.name === 'postgres' ? 'postgres' : 'mariadb',
  version: '',
  label: kind.title,
  url: undefined,
  note: why,
})

/** The service of this machine, otherwise a private server. */
async function foundHere(kind: Kind): Promise<Server> {
  // TEST_PRIVATE_SERVERS=1 uses private servers even if this machine has services.
  const useLocal = process.env.TEST_PRIVATE_SERVERS !== '1'
  const local = useLocal
    ? await probe(kind, kind.local, 'local service').catch(reason)
    : 'not asked'
  if (typeof local !== 'string') return local
  try {
    const installed = await kind.install()
    if ('lacks' in installed) {
      return noServer(kind, `no service on ${new URL(kind.local).host}, ${installed.lacks}`)
    }
    const { url, remove } = await started(kind, installed)
    stops.push(remove)
    return await probe(kind, url, 'private instance')
  } catch (error) {
    return noServer(kind, `the private instance did not start: ${reason(error)}`)
  }
}

/** Starts a private server; a text says what is missing for it. The caller must remove it. */
export async function startServer(name: ServerName): Promise<PrivateServer | { lacks: string }> {
  const kind = kinds.find((one) => one.name === name)
  if (kind === undefined) throw new Error(`no kind of server is called ${name}`)
  const installed = await kind.install()
  return 'lacks' in installed ? installed : started(kind, installed)
}

/** A primary with a replica. */
export interface ReplicatedServer {
  readonly primary: PrivateServer
  readonly replica: PrivateServer
  /** Until `resume`, the replica receives writes but does not show them. */
  hold(): Promise<void>
  resume(): Promise<void>
  remove(): Promise<void>
}

/** Starts a primary with a replica; a text says what is missing for it. The caller must remove them. */
export async function startReplicated(
  name: ServerName,
): Promise<ReplicatedServer | { lacks: string }> {
  const kind = kinds.find((one) => one.name === name)
  if (kind === undefined) throw new Error(`no kind of server is called ${name}`)
  const logs = (id: number): string[] => [
    `--server-id=${id}`,
    '--log-bin=log',
    '--log-slave-updates',
  ]
  const isPostgres = name === 'postgres'
  const installed = await (isPostgres ? installPostgres() : installMysql(() => logs(1)))
  if ('lacks' in installed) return installed
  const primary = await started(kind, installed)
  const copy = await (isPostgres ? installPostgresReplica(primary) : installMysql(() => logs(2)))
  if ('lacks' in copy) return copy
  const replica = await started(kind, copy)
  const tell = (postgres: string, mariadb: string): Promise<void> =>
    runOn(name, replica.url, isPostgres ? postgres : mariadb)
  if (!isPostgres) {
    const source = `master_host='127.0.0.1', master_port=${primary.port}, master_user='root'`
    await runOn(name, replica.url, `change master to ${source}, master_use_gtid=slave_pos`)
    await runOn(name, replica.url, 'start slave')
  }
  return {
    primary,
    replica,
    hold: () => tell('select pg_wal_replay_pause()', 'stop slave sql_thread'),
    resume: () => tell('select pg_wal_replay_resume()', 'start slave sql_thread'),
    remove: async () => {
      await replica.remove()
      await primary.remove()
    },
  }
}

/** The nodes of a Galera cluster; each accepts writes. */
export interface Cluster {
  readonly nodes: readonly PrivateServer[]
  remove(): Promise<void>
}

/** Starts a cluster of MariaDB on loopback; a text says what is missing for it. The caller must remove it. */
export async function startGalera(count: number): Promise<Cluster | { lacks: string }> {
  const kind = kinds.find((one) => one.name === 'mysql')
  const provider = galeraFiles.find((file) => existsSync(file))
  if (kind === undefined || provider === undefined) return { lacks: 'and Galera is not installed' }
  if (findProgram('rsync', systemFolders) === undefined)
    return { lacks: 'and no rsync is installed' }
  const account = process.getuid?.() === 0 ? 'mysql' : undefined
  const ports: { group: number; transfer: number; state: number }[] = []
  for (let i = 0; i < count; i++) {
    ports.push({ group: await freePort(), transfer: await freePort(), state: await freePort() })
  }
  const members = ports.map(({ group }) => `127.0.0.1:${group}`).join(',')
  const nodes: PrivateServer[] = []
  const remove = async (): Promise<void> => {
    for (const node of [...nodes].reverse()) await node.remove()
  }
  for (const [i, { group, transfer, state }] of ports.entries()) {
    let isFirst = i === 0
    const settings = (): readonly string[] => {
      const begins = isFirst ? ['--wsrep-new-cluster'] : []
      isFirst = false
      return [
        '--wsrep-on=ON',
        `--wsrep-provider=${provider}`,
        `--wsrep-cluster-address=gcomm://${members}`,
        `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${transfer}`,
        `--wsrep-node-name=node${i + 1}`,
        '--wsrep-node-address=127.0.0.1',
        '--wsrep-sst-method=rsync',
        `--wsrep-sst-receive-address=127.0.0.1:${state}`,
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
        ...(account === undefined ? [] : [`--user=${account}`]),
        ...begins,
      ]
    }
    const installed = await installMysql(settings)
    if ('lacks' in installed) return installed
    // The program that copies data between nodes does not run as root, so another user gets the folder.
    if (account !== undefined) await run('chown', ['-R', account, installed.folder])
    nodes.push(await started(kind, installed))
  }
  return { nodes, remove }
}

const galeraFiles = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so']

/** Runs a statement on a new connection. */
async function runOn(name: ServerName, url: string, statement: string): Promise<void> {
  if (name === 'postgres') {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
    return
  }
  // A server may take long to accept a connection while other files create their databases.
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 60_000 })
  await connection.query(statement).finally(() => connection.end())
}

async function probe(kind: Kind, url: string, note: string): Promise<Server> {
  const { engine, version } = await kind.identity(url)
  return { kind: kind.name, engine, version, label: `${titles[engine]} ${version}`, url, note }
}

async function postgresIdentity(url: string): Promise<Identity> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query('show server_version')
    return { engine: 'postgres', version: String(rows[0]?.server_version).split(' ')[0] ?? '' }
  } finally {
    await client.end()
  }
}

async function mysqlIdentity(url: string): Promise<Identity> {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 10_000 })
  try {
    const [rows] = await connection.query('select version() as version')
    const text = String((rows as { version: string }[])[0]?.version)
    const engine = text.includes('MariaDB') ? 'mariadb' : 'mysql'
    return { engine, version: text.split('-')[0] ?? '' }
  } finally {
    await connection.end()
  }
}

async function installPostgres(): Promise<Installed | { lacks: string }> {
  return postgresIn(async (data, owner) => {
    const initdb = program('initdb', postgresFolders())
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    // Not `C`, for which statements need no COLLATE: golden files show the statements of an ordinary database.
    const locales = ['C.UTF-8', 'en_US.UTF-8'].map((locale) => `--locale=${locale}`)
    await run(initdb, [...options, locales[0] ?? ''], owner).catch(() =>
      run(initdb, [...options, locales[1] ?? ''], owner),
    )
  })
}

/** PostgreSQL as a replica, which starts as a copy of its primary. */
async function installPostgresReplica(
  primary: PrivateServer,
): Promise<Installed | { lacks: string }> {
  return postgresIn(async (data, owner) => {
    const copy = program('pg_basebackup', postgresFolders())
    await run(copy, ['-D', data, '-d', primary.url, '-R', '-c', 'fast', '--no-sync'], owner)
  })
}

/** PostgreSQL in a folder that `fill` initialises. */
async function postgresIn(
  fill: (data: string, owner: { uid?: number; gid?: number; cwd: string }) => Promise<void>,
): Promise<Installed | { lacks: string }> {
  const postgres = findProgram('postgres', postgresFolders())
  if (postgres === undefined || findProgram('initdb', postgresFolders()) === undefined) {
    return { lacks: 'and no initdb and postgres are installed' }
  }
  const owner = await unprivilegedUser()
  if (owner === 'none') {
    return { lacks: 'and PostgreSQL refuses to run as root (there is no postgres user)' }
  }
  const folder = temporaryFolder('postgres')
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  await fill(data, { ...owner, cwd: folder })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off']
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
  return {
    folder,
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    signal: 'SIGINT',
    spawn: () => spawn(postgres, options, { ...owner, cwd: folder, stdio: 'ignore' }),
  }
}

/** MySQL or MariaDB; `settings` is called each time the server starts. */
async function installMysql(
  settings: () => readonly string[] = () => [],
): Promise<Installed | { lacks: string }> {
  const server = findProgram('mariadbd', systemFolders) ?? findProgram('mysqld', systemFolders)
  if (server === undefined) return { lacks: 'and no mariadbd or mysqld is installed' }
  const folder = temporaryFolder('mysql')
  const data = join(folder, 'data')
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const user = [
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    // A folder of its own for temporary files, because a server that starts removes all temporary tables in that folder.
    `--tmpdir=${temporary}`,
  ]
  const install = findProgram('mariadb-install-db', systemFolders)
  if (install !== undefined) {
    const normal = '--auth-root-authentication-method=normal'
    await run(install, ['--no-defaults', `--datadir=${data}`, normal, '--skip-test-db', ...user])
  } else {
    await run(server, ['--no-defaults', '--initialize-insecure', `--datadir=${data}`, ...user])
  }
  const port = await freePort()
  const options = [
    `--datadir=${data}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(folder, 'mysql.sock')}`,
    `--pid-file=${join(folder, 'mysql.pid')}`,
    // The log is written at each commit, so a killed server loses nothing; it is not flushed, which is faster.
    '--innodb-flush-log-at-trx-commit=2',
    ...user,
  ]
  return {
    folder,
    port,
    url: `mysql://root@127.0.0.1:${port}/mysql`,
    signal: 'SIGTERM',
    // If `user` is given more than once, the server uses the first.
    spawn: () => spawn(server, ['--no-defaults', ...settings(), ...options], { stdio: 'ignore' }),
  }
}

async function started(kind: Kind, installed: Installed): Promise<PrivateServer> {
  const { folder, port, url, signal } = installed
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    if (child !== undefined) return
    for (let attempt = 1; ; attempt++) {
      child = installed.spawn()
      children.add(child)
      try {
        await untilUp(child, () => kind.identity(url))
        return
      } catch (error) {
        children.delete(child)
        child = undefined
        // Processes of a killed server use its shared memory for a moment longer.
        if (attempt === 5) throw error
        await sleep(500)
      }
    }
  }
  const end = async (by: NodeJS.Signals): Promise<void> => {
    if (child === undefined) return
    const ending = child
    child = undefined
    if (ending.exitCode === null && ending.signalCode === null) {
      const ended = new Promise<void>((resolve) => ending.once('close', () => resolve()))
      ending.kill(by)
      await ended
    }
    children.delete(ending)
  }
  const signalAll = async (name: 'STOP' | 'CONT'): Promise<void> => {
    const pid = String(child?.pid)
    // PostgreSQL has a child process for each connection.
    await run('pkill', [`-${name}`, '-P', pid]).catch(() => {})
    child?.kill(`SIG${name}`)
  }
  await start()
  return {
    url,
    port,
    start,
    pause: () => signalAll('STOP'),
    resume: () => signalAll('CONT'),
    stop: () => end(signal),
    kill: () => end('SIGKILL'),
    remove: async () => {
      await end(signal)
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      folders.delete(folder)
    },
  }
}

/** Waits until the server responds. */
async function untilUp(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`)
    const up = await ask().then(
      () => true,
      () => false,
    )
    if (up) return
    await sleep(100)
  }
  throw new Error('it did not answer within 30 s')
}

/** The account under which PostgreSQL must run if this process is root; undefined if this process is not root. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | 'none' | undefined> {
  if (process.getuid?.() !== 0) return undefined
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', 'postgres']),
      run('id', ['-g', 'postgres']),
    ])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return 'none'
  }
}

const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

function postgresFolders(): string[] {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  return [...versions.map((version) => join(debian, version, 'bin')), ...systemFolders]
}

function findProgram(name: string, folders: readonly string[]): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter)
  return [...path, ...folders].map((folder) => join(folder, name)).find((file) => existsSync(file))
}

function program(name: string, folders: readonly string[]): string {
  const found = findProgram(name, folders)
  if (found === undefined) throw new Error(`the program ${name} is not installed`)
  return found
}

function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `model-api-${name}-`))
  folders.add(folder)
  return folder
}

function reason(error: unknown): string {
  const text =
    error instanceof Error ? error.message || String((error as { code?: string }).code) : ''
  return text.split('\n')[0] ?? ''
}
