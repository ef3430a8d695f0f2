// How the packages are bundled: `tsdown --config ../../scripts/bundle.ts` in the folder of a package, which `prepack` runs, writes its `dist`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UserConfig } from 'tsdown'

interface Manifest {
  readonly name: string
  readonly publishConfig: {
    readonly bin?: Readonly<Record<string, string>>
    readonly exports: Readonly<Record<string, string>>
  }
}

/** Files that code of the package starts as threads or processes, by the package: each becomes a file of `dist`. */
const workers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@model-api/core': { 'bcrypt-worker': 'src/auth/passwords/bcrypt-worker.ts' },
  '@model-api/http-node': { worker: 'src/cluster/worker.ts' },
}

const folder = process.cwd()
const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const { name, publishConfig } = manifest

/** Returns the sources of the files of `dist`, by the names of these files. */
const sourcesOf = (files: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.values(files).flatMap((file) => {
      const entry = /^\.\/dist\/(.+)\.js$/.exec(file)?.[1]
      return entry === undefined ? [] : [[entry, `src/${entry}.ts`]]
    }),
  )

const entries = sourcesOf(publishConfig.exports)

const config: UserConfig = {
  // Code that several entries need is in chunks beside them, so that each class exists once.
  entry: { ...entries, ...sourcesOf(publishConfig.bin), ...workers[name] },
  outDir: 'dist',
  cwd: folder,
  format: 'esm',
  // The core uses nothing of any runtime.
  platform: name === '@model-api/core' ? 'neutral' : 'node',
  target: 'es2022',
  fixedExtension: false,
  hash: false,
  // Declarations are made without a type checker, because every export states its type (`isolatedDeclarations`).
  dts: { generator: 'oxc', entry: Object.values(entries), sourcemap: false },
  // Beside `dist/*.js`, which do not name them; the tarball leaves them out, and a release has them as artefacts.
  sourcemap: 'hidden',
  minify: false,
  outputOptions: { minifyInternalExports: false, comments: false },
  checks: { pluginTimings: false },
  failOnWarn: true,
  report: false,
}

export default config
