// What a command talks to: two streams and the environment; tests bring their own. Types only.

export interface CommandIo {
  /** Writes a line where output goes. */
  out(line: string): void
  /** Writes a line where progress and errors go. */
  err(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Settles when the process is asked to end. */
  readonly stopped: Promise<void>
  /** Called by `serve` when it answers requests and has said so. */
  serving?(): void
}
