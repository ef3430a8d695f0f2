// `npm run docs`: builds the documentation as a static site in scripts/site/dist/site. With `--serve` it also serves it.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const run = (command: string, ...args: string[]): void =>
  void execFileSync(command, args, { cwd: folder, stdio: 'inherit' })

// VitePress finds its packages beside the pages, so it gets a copy of them.
const pages = `${folder}dist/pages`
rmSync(pages, { recursive: true, force: true })
cpSync(fileURLToPath(new URL('../../docs', import.meta.url)), pages, { recursive: true })

if (!existsSync(`${folder}node_modules/vitepress`)) run('npm', 'ci', '--ignore-scripts')
run('npx', 'vitepress', 'build')
if (process.argv.includes('--serve')) run('npx', 'vitepress', 'preview')
