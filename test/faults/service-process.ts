/** The service under test in a separate process, which faults end and restart. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'
import type { Gauges, ServiceOptions } from './service.ts'
import type { Setup } from './setups.ts'

export interface Service {
  readonly port: number
  restart(signal: NodeJS.Signals): Promise<void>
  gauges(): Promise<Gauges>
  /** Exit codes of processes that ended without being asked to. */
  readonly deaths: number[]
  end(): Promise<void>
}

/** Starts a process at a free port. */
export async function startService(
  { replicas, causal }: Setup,
  target: string,
  pool: string,
  {
    drainDelay = 0,
    keepAliveTimeout,
  }: Pick<ServiceOptions, 'drainDelay' | 'keepAliveTimeout'> = {},
): Promise<Service> {
  const port = await freePort()
  const deaths: number[] = []
  let ending = false
  const start = async (): Promise<ChildProcess> => {
    const file = fileURLToPath(new URL('service.ts', import.meta.url))
    const options: ServiceOptions = {
      port,
      pool,
      target,
      replicas,
      causal,
      drainDelay,
      ...(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }),
    }
    const child = fork(file, [JSON.stringify(options)], {
      execArgv: [...process.execArgv, '--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child.on('exit', (code, signal) => {
      if (!ending) deaths.push(code ?? Number(signal === null))
    })
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    ending = false
    return child
  }
  let child = await start()
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    ending = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    port,
    deaths,
    restart: async (signal) => {
      await end(signal)
      child = await start()
    },
    gauges: async () => {
      child.send('gauges')
      const [gauges] = (await once(child, 'message')) as [Gauges]
      return gauges
    },
    end: () => end('SIGKILL'),
  }
}
