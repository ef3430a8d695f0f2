/** Generated TypeScript: compiles it with strict checks together with a program that uses it, bundles and runs it. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clients } from './packages.ts'

const run = promisify(execFile)
const bin = (name: string): string => join(clients.folder, 'node_modules/.bin', name)

const compilerOptions = {
  ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
  ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
  lib: ['es2022', 'dom', 'dom.iterable'],
}

/** Runs a generator in a folder. */
export const generate = (
  folder: string,
  name: string,
  words: readonly string[],
): Promise<unknown> => run(bin(name), [...words], { cwd: folder, env: { ...process.env, CI: '1' } })

/** Returns the JSON that the program prints; `url` becomes its global `API`. */
export async function compiledAndRun(folder: string, program: string, url: string) {
  const config = JSON.stringify({ compilerOptions, include: ['program.ts'] })
  writeFileSync(join(folder, 'tsconfig.json'), config)
  writeFileSync(join(folder, 'program.ts'), `declare const API: string\n${program}`)
  const compiled = await run(bin('tsc'), ['-p', folder]).catch((error) => error)
  if (compiled.stdout !== '') throw new Error(compiled.stdout)
  await run(
    bin('esbuild'),
    ['program.ts', '--bundle', '--format=esm', '--outfile=program.mjs', `--define:API="${url}"`],
    { cwd: folder },
  )
  const { stdout } = await run(process.execPath, [join(folder, 'program.mjs')])
  return JSON.parse(stdout)
}
