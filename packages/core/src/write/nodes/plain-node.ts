// PlainRecord: a record whose body has only columns, all in their canonical form: the object of the body itself is its `values`, without a
// copy. `body/plain-record.ts` makes it.

import type { Resource } from '../../model/registry/resource.ts'
import { type RecordNode, type Values, without } from './node.ts'

/** The parts of a RecordNode that are empty if the body has no relations and no read-only fields. */
const plainParts: Omit<RecordNode, 'kind' | 'resource' | 'path' | 'values'> = Object.freeze({
  sentBack: Object.freeze({
    fields: Object.freeze({}),
    otherForms: Object.freeze({}),
    urls: Object.freeze({}),
  }),
  wholeRecordChecks: [],
  merges: [],
  parents: [],
  children: [],
})

/** What `plainRecord` (`body/plain-record.ts`) returns. A class for the reason that `WriteNode` gives. */
export class PlainRecord implements RecordNode {
  readonly kind = 'record'
  readonly resource: Resource
  readonly path: string
  readonly values: RecordNode['values']
  readonly sentBack: RecordNode['sentBack'] = plainParts.sentBack
  readonly wholeRecordChecks: RecordNode['wholeRecordChecks'] = plainParts.wholeRecordChecks
  readonly merges: RecordNode['merges'] = plainParts.merges
  readonly parents: RecordNode['parents'] = plainParts.parents
  readonly children: RecordNode['children'] = plainParts.children
  /** The names of `values`, if `body/repeated-members.ts` has read the record: the same list object for all records with these names. */
  readonly names: readonly string[] | undefined

  constructor(resource: Resource, path: string, values: Values, names?: readonly string[]) {
    this.resource = resource
    this.path = path
    this.values = values
    this.names = names
  }
}

/** The record without some fields. */
export function withoutFields(node: RecordNode, names: ReadonlySet<string>): RecordNode {
  const values = without(node.values, names)
  return node instanceof PlainRecord
    ? new PlainRecord(node.resource, node.path, values)
    : { ...node, values }
}
