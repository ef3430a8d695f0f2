/** Installs large packages that only some tests need, on request, with pinned versions and in a separate folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository } from './source.ts'

export interface OptionalPackages {
  readonly folder: string
  /** Why the tests cannot run; undefined if everything is installed. */
  notInstalled(): string | undefined
  /** The folder of an installed package. */
  installed(name: string): string
  /** Imports an installed package, whose types are not known here. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  load(name: string): Promise<any>
  /** Installs what is missing; the exit code of npm. */
  install(): number
}

/** `name` is the folder below `node_modules/.cache`, unless `folder` names another place. */
export function optionalPackages(
  name: string,
  dependencies: Readonly<Record<string, string>>,
  folder: string = join(repository, 'node_modules/.cache', name),
): OptionalPackages {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies })
  /** A copy of the manifest, written when everything is installed. */
  const mark = join(folder, 'installed.json')
  const notInstalled = (): string | undefined => {
    if (!existsSync(mark)) return 'not installed'
    return readFileSync(mark, 'utf8') === manifest ? undefined : 'other versions are installed'
  }
  return {
    folder,
    notInstalled,
    installed: (wanted) => join(folder, 'node_modules', wanted),
    load(wanted) {
      const { resolve } = createRequire(join(folder, 'package.json'))
      return import(pathToFileURL(resolve(wanted)).href)
    },
    install() {
      if (notInstalled() === undefined) {
        console.log(`Everything is installed in ${folder}.`)
        return 0
      }
      mkdirSync(folder, { recursive: true })
      rmSync(mark, { force: true })
      writeFileSync(join(folder, 'package.json'), manifest)
      const options = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
      const { status } = spawnSync('npm', ['install', ...options], {
        cwd: folder,
        stdio: 'inherit',
      })
      if (status === 0) writeFileSync(mark, manifest)
      return status ?? 1
    },
  }
}
