/** Bundles and packs the packages in a separate folder, as a release would: no outdated files, and no change in this tree. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root: string = fileURLToPath(new URL('../../', import.meta.url))

export const packageNames = ['core', 'http-node', 'adapter-express', 'adapter-koa'] as const
export type PackageName = (typeof packageNames)[number]

const run = promisify(execFile)

export interface Workspace {
  /** A copy of this workspace, without anything built. `pack` makes `packages/<name>/dist`. */
  readonly folder: string
  remove(): void
}

/** Copies the sources and links the installed packages. */
export function copyWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-packages-'))
  for (const file of [
    'package.json',
    'pnpm-workspace.yaml',
    'tsconfig.json',
    'scripts/bundle.ts',
  ]) {
    cpSync(`${root}${file}`, join(folder, file))
  }
  symlinkSync(`${root}node_modules`, join(folder, 'node_modules'))
  for (const name of packageNames) copyPackage(name, folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function copyPackage(name: PackageName, folder: string): void {
  const [from, to] = [`${root}packages/${name}`, join(folder, 'packages', name)]
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from)) {
    if (entry === 'dist' || entry === '.types' || entry === 'node_modules') continue
    cpSync(join(from, entry), join(to, entry), { recursive: true })
  }
  // Links the installed packages; those of this repository are those of the copy.
  const installed = join(from, 'node_modules')
  for (const entry of existsSync(installed) ? readdirSync(installed) : []) {
    if (entry.startsWith('.')) continue
    const scoped = entry.startsWith('@') ? readdirSync(join(installed, entry)) : ['']
    for (const part of scoped) {
      const link = join(to, 'node_modules', entry, part)
      const own = entry === '@model-api'
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(own ? join(folder, 'packages', part) : join(installed, entry, part), link)
    }
  }
}

/** Bundles every package into its `dist`, as its `prepack` does. */
export async function bundle({ folder }: Workspace): Promise<void> {
  for (const name of packageNames) {
    const cwd = join(folder, 'packages', name)
    await run(`${root}node_modules/.bin/tsdown`, ['--config', '../../scripts/bundle.ts'], { cwd })
  }
}

/** Bundles and packs every package as `npm publish` would; returns the tarballs by package. */
export async function pack({ folder }: Workspace): Promise<Readonly<Record<PackageName, string>>> {
  const tarballs = join(folder, 'tarballs')
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', tarballs]
  await run('npx', ['--yes', 'pnpm@12.21.0', ...args], { cwd: folder })
  const entries = packageNames.map((name) => [
    name,
    join(tarballs, `model-api-${name}-${versionText}.tgz`),
  ])
  return Object.fromEntries(entries) as Record<PackageName, string>
}

const versionText = '0.0.0'
