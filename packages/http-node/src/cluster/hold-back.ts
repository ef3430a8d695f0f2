// Holds back what this process writes while it starts: all workers say the same, and one of them says it for all.

type Write = typeof process.stdout.write

export interface HeldBack {
  /** Forgets what was held back; from now on everything is written. */
  drop(): void
  /** Writes the errors among it; from now on everything is written. */
  release(): void
}

/** Takes over both streams of the process, the user's own writing and warnings included. */
export function holdBack(): HeldBack {
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

function takeOver(
  stream: NodeJS.WriteStream,
  keep: (chunk: string | Uint8Array) => void,
): () => void {
  const write = stream.write
  const kept = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    keep(chunk)
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done as () => void)
    return true
  }
  stream.write = kept as Write
  return () => {
    stream.write = write
  }
}
