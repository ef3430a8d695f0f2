/** Connections that each stay with one process, and the output of the command about its processes. */
import { Agent, request } from 'node:http'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  readonly body: any
}

export interface Connection {
  ask(method: string, path: string, body?: object): Promise<Answer>
  close(): void
}

/** A connection that stays open, so that one process serves all requests on it. */
export function connection(base: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask: (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = body === undefined ? {} : { 'content-type': 'application/json' }
        const req = request(`${base}${path}`, { method, agent, headers }, (res) => {
          let text = ''
          res.setEncoding('utf8').on('data', (part) => {
            text += part
          })
          res.on('end', () => resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) }))
        })
        req.on('error', reject)
        req.end(body === undefined ? undefined : JSON.stringify(body))
      }),
    close: () => agent.destroy(),
  }
}

/** Opens a connection to each process; the supervisor hands out connections in turn. */
export async function connections(base: string, count: number): Promise<Map<number, Connection>> {
  const found = new Map<number, Connection>()
  for (let attempt = 0; attempt < 20 * count && found.size < count; attempt++) {
    const one = connection(base)
    const { pid } = (await one.ask('GET', '/api/books/1')).body
    if (found.has(pid)) one.close()
    else found.set(pid, one)
  }
  return found
}

export const pidsIn = (text: string): number[] =>
  (/workers: processes (.*)/.exec(text)?.[1] ?? '').split(', ').map(Number)

export const baseIn = (text: string): string => /Listening at (\S+)/.exec(text)?.[1] ?? ''

export const numberOf = (text: string, part: string): number => text.split(part).length - 1

export const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
