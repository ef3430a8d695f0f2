/** The entries of a package, by its manifest. */
import { readFileSync } from 'node:fs'
import { type PackageName, root } from './build.ts'

/** The entries of a package, as `exports` writes them. */
export function pathsOf(name: PackageName): readonly string[] {
  const text = readFileSync(`${root}packages/${name}/package.json`, 'utf8')
  const paths = Object.keys(
    (JSON.parse(text) as { readonly exports: Readonly<Record<string, unknown>> }).exports,
  )
  return paths.filter((path) => path !== './package.json')
}

/** The entries of a package, without `internals`, which promises nothing. */
export function entriesOf(name: PackageName): readonly string[] {
  const entries = pathsOf(name).filter((path) => path !== './internals')
  return entries.map((path) => path.slice(2) || 'index')
}
