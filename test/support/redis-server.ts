/** A private Redis on loopback that a test may stop, pause and start again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisClient } from '../limits/redis-client.ts'
import { freePort } from './free-port.ts'

export interface RedisServer {
  readonly port: number
  /** Starts the server, at the same port each time; resolves when the server answers. */
  start(): Promise<void>
  /** SIGKILL: its connections break, and new ones are refused. */
  kill(): Promise<void>
  /** SIGSTOP: open connections stay, new ones are accepted, but commands get no reply. */
  pause(): void
  resume(): void
}

/** Seconds after which the server is killed, even if the test process could not stop it. */
const longestLife = '120'

/** Undefined if `redis-server` cannot be started. */
export async function redisServer(): Promise<RedisServer | undefined> {
  const port = await freePort()
  let running: { readonly child: ChildProcess; readonly pid: number } | undefined
  const signal = (name: NodeJS.Signals): void => {
    if (running !== undefined) process.kill(running.pid, name)
  }
  const kill = async (): Promise<void> => {
    if (running === undefined) return
    const { child } = running
    const ended = new Promise((resolve) => child.once('close', resolve))
    signal('SIGKILL')
    running = undefined
    await ended
  }
  const start = async (): Promise<void> => {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    const command = ['-s', 'KILL', longestLife, 'redis-server', ...settings]
    const child = spawn('timeout', command, { stdio: 'ignore' })
    let failed = false
    child.once('error', () => {
      failed = true
    })
    for (let attempt = 0; attempt < 200; attempt++) {
      if (failed || child.exitCode !== null) throw new Error('redis-server did not start')
      const client = await redisClient(port)
      if (client !== undefined) {
        const info = String(await client.call('INFO', 'server'))
        client.close()
        running = { child, pid: Number(/process_id:(\d+)/.exec(info)?.[1]) }
        return
      }
      await sleep(50)
    }
    throw new Error('redis-server did not answer within 10 s')
  }
  process.on('exit', () => signal('SIGKILL'))
  try {
    await start()
  } catch {
    return undefined
  }
  return { port, start, kill, pause: () => signal('SIGSTOP'), resume: () => signal('SIGCONT') }
}
