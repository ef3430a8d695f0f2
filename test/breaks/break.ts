/** A deliberate break: one changed line of the source, and the test file that must fail. */
import type { Engine } from '../support/servers.ts'

export interface Break {
  /** What would go wrong, and for whom. */
  readonly title: string
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Text that occurs exactly once in the file. It may contain lines around the changed one, to be unique. */
  readonly find: string
  readonly replace: string
  /** The test file that must fail, from the root of the repository. */
  readonly fails: string
  /** The databases on which the test fails; default SQLite. */
  readonly databases?: readonly Engine[]
}

/** Returns the broken source. Throws if `find` does not occur exactly once, or if more or less than one line changes. */
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
