/**
 * The packages that the tests of runtimes and drivers need in addition to those of the suite: with fixed versions, installed by
 * `pnpm run runtimes`, and in no lock file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OptionalPackages, optionalPackages } from '../support/optional-packages.ts'
import { repository } from '../support/source.ts'

const system = process.platform === 'win32' ? 'win' : process.platform
const node = (version: string): string => `npm:node-${system}-${process.arch}@${version}`

const core = JSON.parse(readFileSync(join(repository, 'packages/core/package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
}

const dependencies = {
  bun: '1.4.5',
  deno: '2.9.6',
  miniflare: '4.20260730.0',
  esbuild: '0.28.2',
  node20: node('20.20.2'),
  node22: node('22.23.3'),
  node26: node('26.10.0'),
  kysely: '0.29.9',
  'kysely-oldest': 'npm:kysely@0.28.17',
  'kysely-28': 'npm:kysely@0.28.18',
  'kysely-30': 'npm:kysely@0.30.0-beta.2',
  'kysely-d1': '0.4.0',
  'kysely-postgres-js': '5.0.0',
  postgres: '3.4.9',
  pg: '8.23.1',
  '@types/pg': '8.23.1',
  '@electric-sql/pglite': '0.5.16',
  '@libsql/kysely-libsql': '0.4.1',
  '@nestjs/common': '12.5.1',
  '@nestjs/core': '12.5.1',
  '@nestjs/platform-express': '12.5.1',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
  vite: '8.3.8',
  ...core.dependencies,
} as const

/** About 1.4 GB, most of it for the runtimes. */
export const packages: OptionalPackages = optionalPackages(
  'runtimes',
  dependencies,
  process.env.RUNTIMES_FOLDER,
)

export const { folder, notInstalled, installed, load } = packages

/** The program of a runtime; `node24` is that of the suite. */
export function program(runtime: string): string {
  if (runtime === 'node24') return process.execPath
  if (runtime === 'bun' || runtime === 'deno') return join(folder, 'node_modules/.bin', runtime)
  const windows = process.platform === 'win32'
  return join(installed(runtime), windows ? 'bin/node.exe' : 'bin/node')
}
