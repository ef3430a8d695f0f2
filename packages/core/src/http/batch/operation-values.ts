// The values of the finished operations of a batch, which later operations refer to (`"author_id": { "$ref": … }`), and a limit for how
// much of them they may repeat.

import { referencesTooLarge } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { settingNames } from '../../model/settings/setting-names.ts'

/**
 * The values of finished operations. A body may refer to an earlier value several times, so values could multiply with each
 * operation. Therefore all references of a batch together insert at most as many characters as API_BODY_LIMIT has bytes.
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

  /** Returns the value of an operation; undefined if it has none. */
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
