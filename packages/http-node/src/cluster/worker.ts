// The program of a worker process of `serve --workers`: runs the command line it receives, serves, and ends when its supervisor
// (`supervise.ts`) asks it to.

import { run } from '../command.ts'
import { bufferOutput } from './buffer-output.ts'
import { printsVariable, servingMessage, stopMessage } from './worker-process.ts'

const buffered = process.env[printsVariable] === '1' ? undefined : bufferOutput()
delete process.env[printsVariable]
let started = false

const stopped = new Promise<void>((resolve) => {
  process.on('message', (message) => {
    if (message === stopMessage) resolve()
  })
  process.once('SIGTERM', () => resolve())
})
// Ctrl+C reaches all processes of the terminal; the supervisor handles it.
process.on('SIGINT', () => {})

const code = await run(process.argv.slice(2), {
  out: (line) => {
    // The supervisor prints later lines, such as the one about stopping.
    if (!started) process.stdout.write(`${line}\n`)
  },
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  stopped,
  serving: () => {
    started = true
    buffered?.drop()
    process.send?.(servingMessage)
  },
})
buffered?.release()
// Flush both streams before exiting, even if a module left something open.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
