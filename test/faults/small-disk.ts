/** A disk that can be filled: a file system in memory, if the run may mount one. */
import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Enough for a server with its logs. */
const size = '1g'

export interface SmallDisk {
  readonly folder: string
  /** Fills all free space. */
  fill(): Promise<void>
  /** Frees the space again. */
  empty(): void
  remove(): Promise<void>
}

export async function mountSmallDisk(): Promise<SmallDisk | { lacks: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=1777`, 'tmpfs', folder])
  } catch {
    rmdirSync(folder)
    return { lacks: 'and a file system cannot be mounted' }
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    async fill() {
      const { bavail, bsize } = statfsSync(folder)
      // Spares some blocks, because fallocate fails if other processes write meanwhile; `writeUntilFull` fills the rest.
      const spared = 1_000
      await run('fallocate', ['-l', String(Math.max(bavail - spared, 1) * bsize), filler])
      writeUntilFull(filler)
    },
    empty: () => rmSync(filler, { force: true }),
    async remove() {
      await run('umount', ['-l', folder])
      rmdirSync(folder)
    },
  }
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'a')
  const block = Buffer.alloc(4_096)
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

/** Runs `start` with temporary folders on the disk. */
export async function startedOn<T>(disk: SmallDisk, start: () => Promise<T>): Promise<T> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = disk.folder
  try {
    return await start()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}
