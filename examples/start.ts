// Runs an example by its name: `pnpm run example express`.

import { readdirSync } from 'node:fs'

const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
const examples = names.filter((name) => name !== 'library')

const name = process.argv[2] ?? ''
// `as string` hides this file from the compiler, because the types that it imports must be generated first.
if (name === 'typed-client') await import('./typed-client/client.ts' as string)
else if (examples.includes(name)) await import(`./${name}/server.ts`)
else {
  process.stderr.write(`Which example? There are: ${examples.join(', ')}.\n`)
  process.exitCode = 2
}
