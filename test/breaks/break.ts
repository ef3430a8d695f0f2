/** A deliberate break: one line of the source changed for the worse, and the test file that must notice. */
import type { Engine } from '../support/servers.ts'

export interface Break {
  /** What would go wrong for whom, in plain words. */
  readonly title: string
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Text that stands once in the file. Other lines may stand around the one that changes, to make it unique. */
  readonly find: string
  readonly replace: string
  /** The test file that must fail, from the root of the repository. */
  readonly fails: string
  /** The databases that show it; SQLite where nothing is said. */
  readonly databases?: readonly Engine[]
}

/** The source with the break in it. Throws where `find` does not stand there once, or not one line changes. */
export function broken({ file, find, replace }: Break, source: string): string {
  const parts = source.split(find)
  const found = parts.length - 1
  if (found !== 1) throw new Error(`${file}: ${found} times in it, not once: ${find}`)
  const text = parts.join(replace)
  const [before, after] = [source.split('\n'), text.split('\n')]
  const changed = before.filter((line, index) => line !== after[index]).length
  if (before.length !== after.length || changed !== 1) {
    throw new Error(`${file}: one line is to change, not ${changed}: ${find}`)
  }
  return text
}
