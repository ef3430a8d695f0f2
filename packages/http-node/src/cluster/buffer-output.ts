// bufferOutput: buffers the output of a worker of `serve --workers` while it starts: all workers print the same lines, so only the output
// of one is written.

type Write = typeof process.stdout.write

export interface BufferedOutput {
  /** Discards the buffer; later output is written. */
  drop(): void
  /** Writes the buffered stderr; later output is written. */
  release(): void
}

/** Buffers stdout and stderr of the process, including output of loaded modules. */
export function bufferOutput(): BufferedOutput {
  const errors: (string | Uint8Array)[] = []
  const undo = [
    takeOver(process.stdout, () => {}),
    takeOver(process.stderr, (chunk) => void errors.push(chunk)),
  ]
  const release = (): void => {
    for (const restore of undo.splice(0)) restore()
    for (const chunk of errors.splice(0)) process.stderr.write(chunk)
  }
  process.once('exit', release)
  return {
    drop: () => {
      errors.length = 0
      release()
    },
    release,
  }
}

/** Passes what is written to the stream to `keep` instead; returns the function that restores the stream. */
function takeOver(
  stream: NodeJS.WriteStream,
  keep: (chunk: string | Uint8Array) => void,
): () => void {
  const write = stream.write
  const writeToBuffer = (chunk: string | Uint8Array, ...others: unknown[]): boolean => {
    keep(chunk)
    const done = others.at(-1)
    if (typeof done === 'function') process.nextTick(done as () => void)
    return true
  }
  stream.write = writeToBuffer as Write
  return () => {
    stream.write = write
  }
}
