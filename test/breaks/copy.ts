/** A copy of the repository that may be broken: its files, with links to the installed packages. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** The scope of this repository's packages; in a copy, they link to the copy. */
const own = '@model-api'

export function copyRepository(to: string): void {
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const folders = new Set<string>()
  for (const file of files.split('\0')) {
    // A deleted file is still listed until the next commit.
    if (file === '' || !existsSync(join(repository, file))) continue
    cpSync(join(repository, file), join(to, file))
    if (file.endsWith('package.json')) folders.add(dirname(file))
  }
  for (const folder of folders) linkPackages(join(folder, 'node_modules'), to)
}

function linkPackages(folder: string, to: string): void {
  const installed = join(repository, folder)
  if (!existsSync(installed)) return
  mkdirSync(join(to, folder), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== own) symlinkSync(join(installed, name), join(to, folder, name))
  }
  const ours = join(installed, own)
  if (!existsSync(ours)) return
  mkdirSync(join(to, folder, own))
  for (const name of readdirSync(ours)) {
    const link = join(ours, name)
    if (!lstatSync(link).isSymbolicLink()) throw new Error(`${link} is not a link`)
    const inside = relative(repository, join(ours, readlinkSync(link)))
    if (inside.startsWith('..')) throw new Error(`${link} leads out of the repository`)
    symlinkSync(join(to, inside), join(to, folder, own, name))
  }
}

export function removeCopy(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
