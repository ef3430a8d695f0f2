/** Runs the TypeScript compiler on programs of tests. The programs see the packages as users do, by their declarations. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './source.ts'

const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc')

/** Whether the text of a test file uses this module, directly or through another one of this folder. */
export const usesCompiler = (text: string): boolean =>
  /support\/(?:compile|ring-of-models|typescript)\.ts'/.test(text)

let isBuilt = false

/** Compiles the packages, unless nothing has changed since they were compiled; a process looks for that once. */
export function buildDeclarations(): void {
  if (isBuilt) return
  isBuilt = true
  const packages = ['core', 'http-node', 'adapter-express', 'adapter-koa']
  const projects = packages.map((name) => join(repository, 'packages', name))
  execFileSync(process.execPath, [tsc, '-b', ...projects], { encoding: 'utf8' })
}

/** The options of the programs, unless a program overrides them. Reading declarations takes a tenth of the time of reading sources. */
const options = {
  target: 'ES2022',
  lib: ['ES2023', 'WebWorker'],
  module: 'NodeNext',
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  // `packages/` and `runtimes/` check the declarations themselves.
  skipLibCheck: true,
  types: [] as readonly string[],
}

interface Program {
  /** The folder of the program, below `node_modules` or `test`, so that the packages are found. It must exist. */
  readonly folder: string
  readonly file: string
  readonly text: string
  readonly overrides?: Partial<typeof options> & Readonly<Record<string, unknown>>
}

/** Compiles a program of one file; returns what the compiler prints with these arguments. */
export function compilerOutput(program: Program, args: readonly string[] = []): string {
  const { folder, file, text, overrides } = program
  buildDeclarations()
  writeFileSync(join(folder, file), text)
  const project = { compilerOptions: { ...options, ...overrides }, files: [file] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  return spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false', ...args], {
    encoding: 'utf8',
  }).stdout
}
