/** Writes CPU profiles of Node, and reads the time between two moments from them, by function and by folder of the source. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** The part of the file that is used here; times are in microseconds. */
interface CpuProfile {
  readonly startTime: number
  readonly nodes: readonly CallNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface CallNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly children?: readonly number[]
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

export interface Busy {
  /** Microseconds without idle time. */
  readonly all: number
  /** Sorted by time, the longest first. */
  readonly functions: readonly Share[]
  /** The time by folder. Built-in functions count for the folder of the code that called them. */
  readonly folders: readonly Share[]
}

export interface Share {
  readonly name: string
  readonly microseconds: number
}

const root = new URL('..', import.meta.url).href

/** Writes a profile of this process during `work`; `interval` is the time between two samples in microseconds. */
export async function record(
  file: string,
  work: () => Promise<void>,
  interval = 100,
): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(file, JSON.stringify(profile))
}

/** Returns the busy time between two moments of the profile's clock. */
export function busyBetween(file: string, from: number, to: number): Busy {
  const { startTime, nodes, samples, timeDeltas }: CpuProfile = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const folderOf = foldersOf(nodes)
  const functions = new Map<string, number>()
  const folders = new Map<string, number>()
  const add = (sums: Map<string, number>, name: string, time: number): void => {
    sums.set(name, (sums.get(name) ?? 0) + time)
  }
  let at = startTime
  let all = 0
  samples.forEach((id, i) => {
    at += timeDeltas[i] ?? 0
    // A sample lasts until the next one.
    const time = timeDeltas[i + 1] ?? 0
    const frame = frames.get(id)
    if (at < from || at > to || frame === undefined || frame.functionName === '(idle)') return
    all += time
    add(functions, nameOf(frame), time)
    add(folders, folderOf.get(id) ?? '', time)
  })
  return { all, functions: sorted(functions), folders: sorted(folders) }
}

/** Returns the folder of every node. Callers come before the functions that they call. */
function foldersOf(nodes: readonly CallNode[]): ReadonlyMap<number, string> {
  const callers = new Map<number, string>()
  const folders = new Map<number, string>()
  for (const { id, callFrame, children = [] } of nodes) {
    const folder = folderOf(callFrame) ?? callers.get(id) ?? 'called by nobody'
    folders.set(id, folder)
    for (const child of children) callers.set(child, folder)
  }
  return folders
}

const sorted = (sums: ReadonlyMap<string, number>): Share[] =>
  [...sums]
    .map(([name, microseconds]) => ({ name, microseconds }))
    .sort((a, b) => b.microseconds - a.microseconds)

function nameOf(frame: CallFrame): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName
  return frame.url === '' ? name : `${name} ${shortened(frame.url)}:${frame.lineNumber + 1}`
}

/** Shortens a URL to the path below the root of the repository, or below `node_modules`. */
function shortened(url: string): string {
  const [, inPackage] = /^.*\/node_modules\/(.*)$/.exec(url) ?? []
  if (inPackage !== undefined) return inPackage
  if (url.startsWith(root)) return url.slice(root.length)
  return url.startsWith('file:') ? fileURLToPath(url) : url
}

/** Undefined for built-in functions, and for functions made at run time. */
function folderOf({ url, functionName }: CallFrame): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code outside JavaScript'
  if (url === '') return undefined
  if (url.startsWith('node:')) return 'node internals'
  const [, scope = '', name] = /^.*\/node_modules\/(@[^/]+\/)?([^/]+)/.exec(url) ?? []
  if (name !== undefined) return `node_modules/${scope}${name}`
  const path = shortened(url)
  return /^packages\/[^/]+\/src(\/[^/]+(?=\/))?/.exec(path)?.[0] ?? path.replace(/\/[^/]*$/, '')
}
