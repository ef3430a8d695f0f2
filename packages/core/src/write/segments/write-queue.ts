// WriteQueue: runs the storing of records one after the other; after a failure, no more of it. Several calls may come at once, because a
// hook need not wait for its statements, before each of which the writer stores earlier records.

/** One for a segment; `last-steps.ts` makes it. */
export class WriteQueue {
  #last: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  /** Runs `work` after that of the earlier calls, unless some of it fails. */
  add(work: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#run(work))
  }

  /** Waits for all work. Rejects if some of it has failed. */
  done(): Promise<void> {
    return this.#last.then(() => this.refuse())
  }

  /** Notes a failure of other work. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /** Throws the error of earlier work, which a hook may have caught. */
  refuse(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #run(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await work()
    } catch (error) {
      this.#failure = { error }
    }
  }
}
