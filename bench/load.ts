/**
 * `npm run bench:load`: the CPU time of `import '@model-api/core'` beside that of `import 'kysely'`, from the bundles in `packages/core/dist`.
 * A new process for each import, in turns; processes before the first one warm the file cache.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } })
const rounds = Number(options.rounds)

const specifiers = ['kysely', '@model-api/core', '@model-api/core/client'] as const
type Specifier = (typeof specifiers)[number]

/** Returns the CPU time in milliseconds that a new process needs for the import, without its start. */
function importTime(specifier: Specifier): number {
  const program = `const before = process.cpuUsage()
await import('${specifier}')
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../test/', import.meta.url),
    encoding: 'utf8',
  })
  return Number(text)
}

const times: Record<Specifier, number[]> = {
  kysely: [],
  '@model-api/core': [],
  '@model-api/core/client': [],
}
for (const specifier of specifiers) importTime(specifier)
for (let round = 0; round < rounds; round++) {
  for (const specifier of specifiers) times[specifier].push(importTime(specifier))
}

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN
const least = (list: readonly number[]): number => Math.min(...list)

console.log(`CPU time of an import in ms, ${rounds} processes each, Node ${process.version}`)
for (const specifier of specifiers) {
  const [own, kysely] = [times[specifier], times.kysely]
  const shown = [median(own), least(own)].map((time) => time.toFixed(1).padStart(8))
  const ratios = [median(own) / median(kysely), least(own) / least(kysely)]
  console.log(
    `${specifier.padEnd(24)} median${shown[0]}  least${shown[1]}  of kysely's: ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
  )
}
