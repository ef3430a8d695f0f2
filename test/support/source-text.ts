/** The text of a file of the repository, for tests that read code. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const sourceOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
