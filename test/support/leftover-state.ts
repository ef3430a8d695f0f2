/** Finds what a test file left behind in its process, because it could disturb the next file. */

/** A process that uses more memory than this runs no further files. */
const largestBytes = 700 * 1024 * 1024

/** Time for connections and handles to close, which they do after the call that closes them. */
const patienceMs = 250

interface State {
  readonly environment: string
  readonly folder: string
  readonly globals: readonly unknown[]
  readonly listeners: string
  readonly resources: ReadonlyMap<string, number>
}

/** Records the state of the process; the returned function says what has changed since, or undefined if nothing has. */
export function watchState(): () => Promise<string | undefined> {
  const before = currentState()
  return async () => {
    const until = performance.now() + patienceMs
    let found = difference(before, currentState())
    while (found !== undefined && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      found = difference(before, currentState())
    }
    return found
  }
}

function currentState(): State {
  // Reading these properties opens the outputs, which adds resources, so they are read before the resources are counted.
  const writes = [process.stdout.write, process.stderr.write]
  const resources = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    resources.set(kind, (resources.get(kind) ?? 0) + 1)
  }
  return {
    environment: JSON.stringify(process.env),
    folder: process.cwd(),
    globals: [
      ...Object.getOwnPropertyNames(globalThis).sort(),
      ...[fetch, Date, Date.now, Math.random, performance.now, queueMicrotask],
      ...[setTimeout, setInterval, setImmediate, clearTimeout, process.nextTick],
      ...[console.log, console.warn, console.error, process.emitWarning, process.exit],
      ...writes,
    ],
    listeners: JSON.stringify(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    resources,
  }
}

function difference(before: State, now: State): string | undefined {
  if (now.environment !== before.environment) return 'the environment'
  if (now.folder !== before.folder) return 'the working directory'
  if (now.listeners !== before.listeners) return `listeners: ${now.listeners}`
  const changed = now.globals.findIndex((value, index) => value !== before.globals[index])
  if (changed >= 0 || now.globals.length !== before.globals.length) return 'a global'
  for (const [kind, count] of now.resources) {
    if (count > (before.resources.get(kind) ?? 0)) return `${count} × ${kind}`
  }
  return process.memoryUsage.rss() > largestBytes ? 'much memory' : undefined
}
