/** The apps of examples/ with their own packages, which `pnpm run clients` installs according to their package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OptionalPackages, optionalPackages } from '../support/optional-packages.ts'
import { repository } from '../support/source.ts'

export const appFolder = (name: string): string => join(repository, 'examples', name)

function packagesOf(name: string): OptionalPackages {
  const manifest = JSON.parse(readFileSync(join(appFolder(name), 'package.json'), 'utf8'))
  return optionalPackages(name, { ...manifest.dependencies, ...manifest.devDependencies })
}

export const exampleApps: Readonly<Record<string, OptionalPackages>> = {
  'react-admin': packagesOf('react-admin'),
  refine: packagesOf('refine'),
}
