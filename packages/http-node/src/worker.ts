// One of several processes that serve: runs the command with the words it is given, and ends when its supervisor says so.

import { holdBack } from './cluster/hold-back.ts'
import { serving, speaks, stop } from './cluster/worker-process.ts'
import { run } from './command.ts'

const held = process.env[speaks] === '1' ? undefined : holdBack()
delete process.env[speaks]
let started = false

const stopped = new Promise<void>((resolve) => {
  process.on('message', (message) => {
    if (message === stop) resolve()
  })
  process.once('SIGTERM', () => resolve())
})
// Ctrl+C reaches every process of the terminal; the supervisor hears it, too.
process.on('SIGINT', () => {})

const code = await run(process.argv.slice(2), {
  out: (line) => {
    // What is said later, such as that it stops, the supervisor says.
    if (!started) process.stdout.write(`${line}\n`)
  },
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  stopped,
  serving: () => {
    started = true
    held?.drop()
    process.send?.(serving)
  },
})
held?.release()
// Both streams are written before it ends, with whatever a module left open.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
