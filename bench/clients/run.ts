/**
 * Compares typed clients: `npm ci` in this folder, then `node --conditions=@model-api/source bench/clients/run.ts [tables …]`.
 * Prints for each client the work of the compiler beyond a program that imports the same libraries without tables, and the bytes
 * that a browser loads.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Client, clients } from './programs.ts'

const rounds = Number(process.env.ROUNDS ?? 3)
const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const sizes = process.argv.slice(2).map(Number)
if (sizes.length === 0) sizes.push(100)

// A variable, so that the compiler does not resolve the import: the package is installed only in this folder.
const bundler: string = 'esbuild'
const { build } = await import(bundler).catch(() => {
  console.error(`not installed: cd ${here} && npm ci`)
  process.exit(1)
})

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: [],
}

/** Writes the programs of a client. The program of model-api is compiled against the published form of the packages. */
function write(client: Client, tables: number): string {
  const folder = `${here}.programs/${clients.indexOf(client)}-${tables}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/declarations.ts`, client.declarations(tables))
  writeFileSync(`${folder}/calls.ts`, client.calls(tables))
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ compilerOptions, include: ['declarations.ts', 'calls.ts'] }),
  )
  return folder
}

function compile(folder: string): { readonly instantiations: number; readonly seconds: number } {
  const { stdout } = spawnSync(
    `${root}node_modules/.bin/tsc`,
    ['-p', folder, '--extendedDiagnostics'],
    { encoding: 'utf8' },
  )
  const mistakes = stdout.match(/^.*error TS.*$/gm)
  if (mistakes !== null) throw new Error(`${folder}\n${mistakes.slice(0, 5).join('\n')}`)
  return {
    instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]),
    seconds: Number(/^Check time:\s+([\d.]+)s/m.exec(stdout)?.[1]),
  }
}

/** Packages that pages load anyway, and drivers that a package refers to but no page needs. */
const external = [
  'react',
  '@tanstack/react-query',
  'pg',
  'mysql2',
  'better-sqlite3',
  ...builtinModules,
]

/** Returns the bytes that a browser loads to make these calls, besides React and TanStack Query. */
async function browserBytes(folder: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}/calls.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    external,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

try {
  for (const tables of sizes) {
    const folders = clients.map((client) => ({
      client,
      full: write(client, tables),
      one: write(client, 1),
    }))
    const seconds = new Map<string, number[]>()
    const instantiations = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      for (const { client, full, one } of folders) {
        const [whole, first] = [compile(full), compile(one)]
        seconds.set(client.name, [
          ...(seconds.get(client.name) ?? []),
          whole.seconds - first.seconds,
        ])
        instantiations.set(client.name, whole.instantiations - first.instantiations)
      }
    }
    console.log(
      `| ${tables} tables | has to be written | instantiations a table | seconds of checking | gzipped, one call | gzipped, all calls |`,
    )
    console.log('|---|---|---:|---:|---:|---:|')
    for (const { client, full, one } of folders) {
      const each = Math.round((instantiations.get(client.name) ?? 0) / (tables - 1))
      const [first, all] = [await browserBytes(one), await browserBytes(full)].map((bytes) =>
        (bytes / 1000).toFixed(1),
      )
      const time = median(seconds.get(client.name) ?? []).toFixed(2)
      console.log(
        `| ${client.name} | ${client.needs} | ${each.toLocaleString('en')} | ${time} | ${first} kB | ${all} kB |`,
      )
    }
  }
} finally {
  rmSync(`${here}.programs`, { recursive: true, force: true })
}
