/** The files of a tarball, and what its bundles load. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface TarballFile {
  /** Without the folder `package/`. */
  readonly path: string
  readonly bytes: number
  readonly text: string
}

/** Reads all files of a tarball, of which none is binary. */
export async function filesOf(tarball: string): Promise<readonly TarballFile[]> {
  const { stdout } = await run('tar', ['-tf', tarball])
  const names = stdout.trim().split('\n')
  return Promise.all(
    names.map(async (name) => {
      const { stdout: text } = await run('tar', ['-xOf', tarball, name], { maxBuffer: 64 << 20 })
      return { path: name.replace(/^package\//, ''), bytes: Buffer.byteLength(text), text }
    }),
  )
}

/** What a file of a bundle imports, without `import()`: `./<chunk>.js`, packages, and modules of the runtime. */
const importsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:import|export) (?:[^"'`\n]* from )?"([^"]+)";$/gm)].map(
    ([, from = '']) => from,
  )

/** Returns everything that the import of a file of `dist` loads: files of `dist` by their names, and specifiers of packages. */
export function loadedBy(entry: string, files: readonly TarballFile[]): readonly string[] {
  const loaded = new Set([entry])
  for (const name of loaded) {
    const text = files.find(({ path }) => path === `dist/${name}`)?.text ?? ''
    for (const from of importsOf(text)) loaded.add(from.replace(/^\.\//, ''))
  }
  return [...loaded].sort()
}

/** Returns the sources in the bundles, each as often as a bundle contains it; the bundler writes their paths above their code. */
export const sourcesIn = (files: readonly TarballFile[]): readonly string[] =>
  files
    .filter(({ path }) => path.endsWith('.js'))
    .flatMap(({ text }) =>
      [...text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)].map(([, source = '']) => source),
    )
