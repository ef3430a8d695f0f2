// Several servers behind one pool: connections are opened to the one that serves, until it does not any more.

/** Closes a connection at once, whatever runs on it. */
type Close = () => void

/** Servers of which one serves at a time. */
export interface Hosts {
  /** Where the next connection is opened; one of the URLs. */
  readonly current: string
  readonly urls: readonly string[]
  /** Remembers a connection until it is closed. */
  opened(url: string, close: Close): { closed(): void }
  /**
   * The server does not serve: connections are opened to the next one, and those that lead to it are closed, so that no
   * statement is ended there by a number that belongs to another server. Where it was left already, nothing happens.
   */
  leave(url: string): void
}

/** `moved` is told where the next connections are opened. */
export function createHosts(
  urls: readonly string[],
  moved: (url: string) => void = () => {},
): Hosts {
  const connections = new Map<string, Set<Close>>()
  let index = 0
  const current = (): string => urls[index] as string
  return {
    get current() {
      return current()
    },
    urls,
    opened(url, close) {
      const known = connections.get(url) ?? new Set()
      connections.set(url, known.add(close))
      return { closed: () => void known.delete(close) }
    },
    leave(url) {
      if (url !== current() || urls.length === 1) return
      index = (index + 1) % urls.length
      moved(current())
      for (const close of connections.get(url) ?? []) close()
      connections.delete(url)
    },
  }
}

/** A server that takes no writes, where one that does is wanted; answered with 503, as one that refuses connections. */
export const notWritable = (): Error =>
  Object.assign(new Error('The server takes no writes, and one that does is wanted.'), {
    code: 'ECONNREFUSED',
  })

/** Tries again while the last attempt left its server for another one, each server once. */
export async function onSomeHost<T>(hosts: Hosts, attempt: () => Promise<T>): Promise<T> {
  for (let left = hosts.urls.length - 1; ; left -= 1) {
    const before = hosts.current
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || hosts.current === before) throw error
    }
  }
}

const unreachable =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|PROTOCOL_CONNECTION_LOST|57P0[123])$/

/** Whether opening a connection failed because of the server, not because of who asks or how many there are. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return unreachable.test(String(code)) || /terminated|timeout expired/i.test(String(message))
}
