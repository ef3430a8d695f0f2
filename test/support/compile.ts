/** Compiles and imports a module that a test has generated. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository } from './source.ts'

const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc')

/** Below `test`, so that imports find the packages of the workspace; `filesBelow` skips folders named `dist`. */
const scratch = join(repository, 'test', 'dist')

const configuration = {
  // The options of the repository, because the imported sources of the core are compiled with them too.
  extends: '../../../tsconfig.json',
  compilerOptions: {
    noEmit: true,
    composite: false,
    declarationMap: false,
    sourceMap: false,
    isolatedDeclarations: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
  },
  files: ['module.ts'],
  references: [],
}

/** The exports of the module; rejects with the errors of the compiler. */
export async function compiled(text: string): Promise<Readonly<Record<string, unknown>>> {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, 'compiled-'))
  try {
    const file = join(folder, 'module.ts')
    writeFileSync(file, text)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
    execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const { stdout } = error as { stdout?: string }
    throw stdout === undefined ? error : new Error(stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
