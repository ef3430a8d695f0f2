/** The CPU time that test files take, and its table by folder (`--cpu`). */
import { readFileSync } from 'node:fs'

/** Milliseconds. */
export interface CpuTime {
  readonly own: number
  /** The time of processes that the process started and that have ended. */
  readonly children: number
}

/** Milliseconds in a clock tick, the kernel's unit for the time of children. */
const msPerTick = 10

/** The time of this process until now. The time of its children is known on Linux only. */
function timeUntilNow(): CpuTime {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1000
  if (process.platform !== 'linux') return { own, children: 0 }
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return { own, children: (Number(fields[13]) + Number(fields[14])) * msPerTick }
}

/** Returns a function that returns the CPU time since its last call, or since the process started. */
export function cpuMeter(): () => CpuTime {
  let last: CpuTime = { own: 0, children: 0 }
  return () => {
    const now = timeUntilNow()
    const since = { own: now.own - last.own, children: now.children - last.children }
    last = now
    return since
  }
}

/** A file that has run. */
export interface FileCpu {
  readonly file: string
  /** Whether the process was started for it. */
  readonly isFirst: boolean
  readonly cpu: CpuTime
}

/** Seconds by folder, the largest first, without the time of database servers. */
export function cpuTable(all: readonly FileCpu[]): string {
  const folderOf = ({ file }: FileCpu): string => file.replace(/\/.*/, '')
  const rows = [...new Set(all.map(folderOf))].map((folder) =>
    rowOf(
      folder,
      all.filter((one) => folderOf(one) === folder),
    ),
  )
  rows.sort((a, b) => b.own + b.children - a.own - a.children)
  const lines = [rowOf('all', all), ...rows].map(({ folder, files, processes, own, children }) =>
    [folder.padEnd(14), ...[files, processes, own, children].map(cell)].join(''),
  )
  const head = ['CPU seconds'.padEnd(14), ...['files', 'processes', 'own', 'children'].map(cell)]
  return ['', head.join(''), ...lines].join('\n  ')
}

const cell = (value: unknown): string => String(value).padStart(11)

function rowOf(folder: string, files: readonly FileCpu[]) {
  const seconds = (of: (cpu: CpuTime) => number): number =>
    Math.round(files.reduce((sum, { cpu }) => sum + of(cpu), 0) / 100) / 10
  return {
    folder,
    files: files.length,
    processes: files.filter(({ isFirst }) => isFirst).length,
    own: seconds(({ own }) => own),
    children: seconds(({ children }) => children),
  }
}
