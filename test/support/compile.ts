/** Compiles and imports a module that a test has generated. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository } from './source.ts'
import { compilerOutput } from './typescript.ts'

/** Below `test`, so that imports find the packages of the workspace; `filesBelow` skips folders named `dist`. */
const scratch = join(repository, 'test', 'dist')

/** The options of the repository with which Node can run the module without compiling it. */
const overrides = { verbatimModuleSyntax: true, erasableSyntaxOnly: true }

/** The exports of the module; rejects with the errors of the compiler. */
export async function compiled(text: string): Promise<Readonly<Record<string, unknown>>> {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, 'compiled-'))
  const file = 'module.ts'
  try {
    const errors = compilerOutput({ folder, file, text, overrides })
    if (errors !== '') throw new Error(errors)
    return await import(pathToFileURL(join(folder, file)).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
