// RepeatedMembers: a shortcut for lists whose records have the same members, as most lists have: `[{"a": 1, "b": 2}, {"a": 3, "b": 4}]`.
// `nodeReader` tries it for each record after the first. `bench/shortcuts.md` has what it saves. RepeatedInMode is the shortcut of upserts,
// which read each record in two modes.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { isJsonObject } from '../../lib/json/merge-patch.ts'
import type { WriteMode } from '../../model/registry/checks/field-rules.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { RecordNode } from '../nodes/node.ts'
import { PlainRecord } from '../nodes/plain-node.ts'
import { type FieldTest, fieldTests, type Identifying, plainInMode } from './plain-record.ts'

/**
 * Reads a record as `plainRecord` does if it has the same members, in the same order, as the last record that was remembered. Whether
 * the members are known, writable and complete then needs no second check, and only their values are tested.
 */
export class RepeatedMembers {
  readonly #resource: Resource
  readonly #mode: WriteMode
  /** The members of the last record that was remembered, and the tests of their values. */
  #names: readonly string[] = []
  #tests: readonly FieldTest[] = []

  constructor(resource: Resource, mode: WriteMode) {
    this.#resource = resource
    this.#mode = mode
  }

  /** The record; undefined if its members are other ones, or a value is wrong or needs conversion. */
  read(body: JsonValue, path: string): RecordNode | undefined {
    const names = this.#names
    if (names.length === 0 || !isJsonObject(body)) return undefined
    let i = 0
    for (const name in body) {
      if (name !== names[i] || this.#tests[i]?.(body[name] as JsonValue) !== true) return undefined
      i += 1
    }
    return i === names.length ? new PlainRecord(this.#resource, path, body, names) : undefined
  }

  /** Remembers the members of a record that `plainRecord` has returned; ignores other records. */
  remember(node: RecordNode): void {
    if (!(node instanceof PlainRecord)) return
    this.#names = Object.keys(node.values)
    this.#tests = fieldTests(this.#resource, this.#mode, this.#names)
  }
}

/**
 * Reads the records of a list, which were read in one mode, in another one as well, as `plainInMode` does: an upsert reads each object as a
 * change and as a new record.
 */
export class RepeatedInMode {
  readonly #mode: WriteMode
  readonly #identifying: Identifying
  /** The members of the last record of `RepeatedMembers` that could be read in this mode. */
  #names: readonly string[] | undefined

  constructor(mode: WriteMode, identifying: Identifying) {
    this.#mode = mode
    this.#identifying = identifying
  }

  /** `node` if `body` gives the same record in this mode; undefined if `readNode` must read it again. */
  read(node: RecordNode, body: JsonValue): RecordNode | undefined {
    const names = node instanceof PlainRecord ? node.names : undefined
    if (names !== undefined && names === this.#names && node.values === body) return node
    const read = plainInMode(node, body, this.#mode, this.#identifying)
    if (read !== undefined) this.#names = names
    return read
  }
}
