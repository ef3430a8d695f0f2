// Fail-over between several servers behind one pool, for a URL with several hosts, `postgres://ann@first,second/library`: new connections
// are opened to one server, and to the next one when that server fails.

/** Closes a connection immediately, even during a statement. */
type Close = () => void

/** The servers of a database, of which one is used at a time. */
export interface Hosts {
  /** The URL that new connections are opened to. */
  readonly current: string
  /** One for each server. */
  readonly urls: readonly string[]
  /** Registers an open connection; call `closed` of the result when it has ended. */
  opened(url: string, close: Close): { closed(): void }
  /**
   * Leaves a failed server: new connections are opened to the next one, and the old ones are closed, since cancelling a
   * statement by connection id must not reach another server. Does nothing if the server was already left.
   */
  leave(url: string): void
}

/** Creates the hosts; `moved` is called with the URL of the next server. */
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

/** Creates the error for a server that is read-only although writes are needed. Like a refused connection, it gives 503. */
export const notWritable = (): Error =>
  Object.assign(new Error('This server accepts no writes; one of the other hosts may.'), {
    code: 'ECONNREFUSED',
  })

/**
 * Repeats a failed attempt on the next server. Ends when each server was tried once, or when the failure is not a reason to leave
 * the server.
 */
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

/** Whether connecting failed because the server is unreachable, not because of credentials or connection limits. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return unreachable.test(String(code)) || /terminated|timeout expired/i.test(String(message))
}
