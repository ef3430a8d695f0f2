/** The declarations of the core, compiled against another version of Kysely. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../support/source.ts'

const tsc = join(repository, 'node_modules/typescript/bin/tsc')

/** The declarations that a release would have; `remove` deletes them. */
export interface Declarations {
  readonly folder: string
  remove(): void
}

export function declarationsOfCore(): Declarations {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-declarations-'))
  const options = ['--outDir', folder, '--composite', 'false', '--tsBuildInfoFile', 'null']
  const emitted = ['--declaration', '--emitDeclarationOnly', '--declarationMap', 'false']
  const project = join(repository, 'packages/core')
  execFileSync(process.execPath, [tsc, '-p', project, ...options, ...emitted])
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const compilerOptions = {
  ...{ target: 'ES2022', lib: ['ES2023', 'WebWorker'], module: 'NodeNext', noEmit: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ allowImportingTsExtensions: true, skipLibCheck: false, types: [] },
  paths: {
    '@model-api/core': ['./packages/core/src/index.ts'],
    '@model-api/core/client': ['./packages/core/src/client.ts'],
  },
}

/**
 * Returns the errors of the compiler in the declarations, and in the files of test/types that use them, in the project in `folder`;
 * `without` are files of test/types that this version of Kysely cannot compile.
 */
export function typeErrors(
  folder: string,
  declarations: Declarations,
  without: readonly string[] = [],
): string {
  const core = 'packages/core/src'
  cpSync(declarations.folder, join(folder, core), { recursive: true })
  cpSync(join(repository, 'test/types'), join(folder, 'test/types'), { recursive: true })
  const uses = readdirSync(join(folder, 'test/types')).filter(
    (file) => !file.includes('.test.') && !without.includes(file),
  )
  const entries = readdirSync(join(folder, core)).filter((file) => file.endsWith('.d.ts'))
  const files = [
    ...uses.map((file) => `test/types/${file}`),
    ...entries.map((file) => `${core}/${file}`),
  ]
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
}
