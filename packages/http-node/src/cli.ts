#!/usr/bin/env node
// The model-api command: hands the process's own streams and signals to the command.

import { run } from './command.ts'

const stopped = new Promise<void>((resolve) => {
  // Once: a second Ctrl+C ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  stopped,
})
// What a module of the user's left open, such as a pool, does not keep the process.
setTimeout(() => process.exit(), 1_000).unref()
