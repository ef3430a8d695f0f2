/** `pnpm run runtimes`: installs the runtimes and drivers that test/runtimes runs, into a folder of their own. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, manifest, mark, notInstalled } from './packages.ts'

if (notInstalled() === undefined) {
  console.log(`Everything is installed in ${folder}.`)
} else {
  mkdirSync(folder, { recursive: true })
  rmSync(mark, { force: true })
  writeFileSync(join(folder, 'package.json'), manifest)
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  const { status } = spawnSync('npm', ['install', ...options], { cwd: folder, stdio: 'inherit' })
  if (status === 0) writeFileSync(mark, manifest)
  process.exitCode = status ?? 1
}
