// CommandIo: the streams and the environment of a command; tests replace them. Types only.

export interface CommandIo {
  /** Writes a line to stdout. */
  out(line: string): void
  /** Writes a line to stderr. */
  err(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves when the process is asked to end. */
  readonly stopped: Promise<void>
  /** Asks the user and resolves with the answer; absent if there is no terminal. */
  ask?(question: string): Promise<string>
  /** Called by `serve` when it accepts requests and has printed its URL. */
  serving?(): void
}
