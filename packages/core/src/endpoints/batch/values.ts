// The values of the operations that have run, and how much of them later ones may repeat.

import { settingNames } from '../../config/setting-names.ts'
import { referencesTooLarge } from '../../errors.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { stringify } from '../../json/stringify.ts'

/**
 * A body may refer to a value of an earlier one several times, so that values could grow with a power of the number of
 * operations; and so may the URLs of many operations refer to one long value. All of a batch together therefore repeat at
 * most as many characters as a body may have bytes.
 */
export class OperationValues {
  readonly #byId = new Map<string, JsonValue>()
  readonly #limit: number
  #left: number

  constructor(limit: number) {
    this.#limit = limit
    this.#left = limit
  }

  set(id: string, value: JsonValue): void {
    this.#byId.set(id, value)
  }

  /** The value of an operation; undefined if it has none. */
  get(id: string): JsonValue | undefined {
    return this.#byId.get(id)
  }

  /** Returns a value that a body or URL repeats; throws 413 if a batch repeats too much. */
  repeat(value: JsonValue): JsonValue {
    this.#left -= stringify(value).length
    if (this.#left < 0) throw referencesTooLarge(settingNames.bodyLimit, this.#limit)
    return value
  }
}
