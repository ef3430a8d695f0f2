/** HAProxy in front of several processes, with the configuration that docs/recipes/restarts-behind-haproxy.md shows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { count } from './ledger.ts'

export interface HaproxyOptions {
  /** Ports of the processes. */
  readonly ports: readonly number[]
  /** HAProxy's `http-reuse`: which connections to the processes it reuses for later requests. */
  readonly reuse: string
}

export interface Haproxy {
  readonly port: number
  /** Waits until HAProxy considers the process at a port available, or unavailable. */
  until(port: number, state: 'UP' | 'DOWN'): Promise<void>
  /** From HAProxy's log: requests that it could not forward or answer, and responses with 5xx, by status and termination state. */
  readonly failures: ReadonlyMap<string, number>
  stop(): Promise<void>
}

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
const program = folders.map((folder) => join(folder, 'haproxy')).find((file) => existsSync(file))

/** Why it cannot be started; undefined if it can. */
export const haproxyLacks: string | undefined =
  program === undefined ? 'haproxy is not installed' : undefined

/** Starts HAProxy at a free port. */
export async function startHaproxy({ ports, reuse }: HaproxyOptions): Promise<Haproxy> {
  if (program === undefined) throw new Error(haproxyLacks)
  const folder = mkdtempSync(join(tmpdir(), 'model-api-haproxy-'))
  const port = await freePort()
  const socket = join(folder, 'haproxy.sock')
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
    stats socket ${socket}
    log stdout format raw local0

defaults
    mode http
    log global
    log-format "%ST %ts %HM"
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout http-keep-alive 60s
    retries 0
    no option redispatch

frontend clients
    bind 127.0.0.1:${port}
    default_backend api

backend api
    balance roundrobin
    http-reuse ${reuse}
    option httpchk GET /health/ready
    http-check expect status 200
    default-server check inter 1s fall 2 rise 2
${ports.map((one) => `    server api_${one} 127.0.0.1:${one}`).join('\n')}
`,
  )
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'ignore'] })
  const failures = new Map<string, number>()
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    // "--" means that the request ended normally.
    for (const line of lines) {
      if (/^-?\d+ /.test(line) && !/^[1-4]\d\d -- /.test(line)) count(failures, line)
    }
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const until = async (one: number, state: 'UP' | 'DOWN'): Promise<void> => {
    for (let attempt = 0; attempt < 300; attempt++) {
      const stat = await ask(socket, 'show stat').catch(() => '')
      const line = stat.split('\n').find((text) => text.startsWith(`api,api_${one},`))
      // "UP 1/2" means that it is about to become "DOWN".
      if (line?.split(',')[17]?.startsWith(state)) return
      await sleep(100)
    }
    throw new Error(`HAProxy does not call the process at port ${one} ${state}`)
  }
  process.once('exit', () => child.kill('SIGKILL'))
  try {
    for (const one of ports) await until(one, 'UP')
  } catch (error) {
    await stop()
    throw error
  }
  return { port, until, failures, stop }
}

/** Sends a command to its administrative socket. */
async function ask(path: string, command: string): Promise<string> {
  const socket = connect(path)
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  socket.end(`${command}\n`)
  await once(socket, 'close')
  return text
}
