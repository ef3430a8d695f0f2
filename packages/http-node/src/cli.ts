#!/usr/bin/env node
// The entry of the command `model-api`: passes the process's streams and signals to `run`.

import * as nodeModule from 'node:module'
import { createInterface } from 'node:readline/promises'

// Keeps compiled code between starts. Node 20 cannot.
nodeModule.enableCompileCache?.()
const { run } = await import('./command.ts')

const stopped = new Promise<void>((resolve) => {
  // `once`: a second Ctrl+C ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  stopped,
  ...(process.stdin.isTTY ? { ask } : {}),
})
// Ends the process even if a loaded module left something open, such as a pool.
setTimeout(() => process.exit(), 1_000).unref()
