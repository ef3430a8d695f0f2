// withStoredForms: replaces the values of write-only columns in the records of a body by their stored forms, which the model's `transform`
// makes of them: a password becomes its hash. The last stage of a body before the transaction begins.

import { clientGone } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { Column } from '../../model/column.ts'
import { returned, returnedCopy } from '../../model/hooks/call-hook.ts'
import { valueForHost } from '../../model/hooks/host-values.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { convertJson } from '../nodes/convert-json.ts'
import {
  isNested,
  type NestedNode,
  pathTo,
  type RecordNode,
  recordsOf,
  type Values,
} from '../nodes/node.ts'
import type { InputProblems } from './input-problems.ts'
import { runChecks } from './read-body.ts'
import type { ValidatorHost } from './validators.ts'

type Transform = NonNullable<Column['transform']>

/** How `transform` functions are called, and what decides that they are not. */
export interface TransformHost extends ValidatorHost {
  /** Whether methods and roles allow the caller to create a record. */
  mayCreate(resource: Resource): boolean
  /** Whether they allow the caller to change one. */
  mayChange(resource: Resource): boolean
  /** Whether the client has disconnected. */
  isClientGone(): boolean
  /** Calls a function of the host about the record at a path, which the messages by field of its error get. */
  atRecord<T>(path: string, call: () => MaybePromise<T>): MaybePromise<T>
}

/** A body while its values are transformed. */
interface Transforming {
  readonly host: TransformHost
  /** The stored forms by the path of their values, because an upsert reads each object twice. */
  readonly storedForms: Map<string, JsonValue>
}

/**
 * Returns the records with the stored forms of their values, also in nested records. Calls no function for a body with problems, nor for a
 * nested record that the caller may not create: the write refuses both. It leaves out their values to transform, so that none could be
 * stored as it was sent.
 */
export function withStoredForms(
  nodes: readonly RecordNode[],
  problems: Pick<InputProblems, 'any'>,
  host: TransformHost,
): readonly RecordNode[] | Promise<readonly RecordNode[]> {
  if (!nodes.some(needsTransform)) return nodes
  return transformEach(nodes, problems.any, { host, storedForms: new Map() })
}

/** Whether the body has a value to transform in the node or in a nested one. */
export function needsTransform(node: NestedNode): boolean {
  if (node.kind !== 'record') return recordsOf(node).some(needsTransform)
  const { resource, values, parents, children } = node
  const transforms = transformsOf(resource)
  // Most records of lists end here, without an allocation.
  if (transforms.length === 0 && !isNested(node)) return false
  return (
    transforms.some(({ column }) => isSent(values, column)) ||
    parents.some((parent) => needsTransform(parent.node)) ||
    children.some(({ nodes }) => nodes.some(needsTransform))
  )
}

/** Whether the body contains a value of the column to transform. */
const isSent = (values: Values, { name }: NamedColumn): boolean => (values[name] ?? null) !== null

/** One record after the other, so that a list does not call all functions at once. */
async function transformEach<N extends NestedNode>(
  nodes: readonly N[],
  isRefused: boolean,
  transforming: Transforming,
): Promise<readonly N[]> {
  const made: N[] = []
  for (const node of nodes) {
    made.push(
      needsTransform(node) ? ((await transformNode(node, isRefused, transforming)) as N) : node,
    )
  }
  return made
}

/** `transformEach` for the nested records of one relation, each of which creates a record or changes a child. */
function transformNested(
  nodes: readonly NestedNode[],
  isRefused: boolean,
  transforming: Transforming,
): Promise<readonly NestedNode[]> {
  const { host } = transforming
  const mayWrite = ({ kind, resource }: NestedNode): boolean =>
    host.mayCreate(resource) || (kind === 'child' && host.mayChange(resource))
  return transformEach(nodes, isRefused || !nodes.every(mayWrite), transforming)
}

/** The node with stored forms. `isRefused`: the write will be refused, so values are left out instead of transformed. */
async function transformNode(
  node: NestedNode,
  isRefused: boolean,
  transforming: Transforming,
): Promise<NestedNode> {
  if (node.kind === 'reference') {
    const { otherwise } = node
    if (otherwise === null) return node
    const [record = otherwise] = await transformEach([otherwise], isRefused, transforming)
    return { ...node, otherwise: record }
  }
  if (node.kind === 'child') {
    const [asFound = node.asFound] = await transformEach([node.asFound], isRefused, transforming)
    if (node.asMissing === null) return { ...node, asFound }
    const refused = isRefused || node.problems.any
    const [asMissing = node.asMissing] = await transformEach(
      [node.asMissing],
      refused,
      transforming,
    )
    return { ...node, asFound, asMissing }
  }
  const checked = await afterChecks(node, transforming)
  const refused = isRefused || checked.uniqueName?.problems.any === true
  const values = await storedValues(checked, refused, transforming)
  const parents: { relation: RecordNode['parents'][number]['relation']; node: NestedNode }[] = []
  for (const { relation, node: parent } of checked.parents) {
    const [made = parent] = await transformNested([parent], refused, transforming)
    parents.push({ relation, node: made })
  }
  const children: RecordNode['children'][number][] = []
  for (const { relation, nodes, others } of checked.children) {
    children.push({
      relation,
      nodes: await transformNested(nodes, refused, transforming),
      ...(others && { others }),
    })
  }
  const hasLaterChecks = checked.wholeRecordChecks.length > 0
  const beforeTransform = hasLaterChecks ? valuesToTransform(checked) : undefined
  return { ...checked, values, parents, children, ...(beforeTransform && { beforeTransform }) }
}

/**
 * Runs the validators of columns with a `transform` in an object that may name a stored record, because they check the value that was sent.
 * The other validators run if the object creates a record, which is known later.
 */
async function afterChecks(node: RecordNode, { host }: Transforming): Promise<RecordNode> {
  const { uniqueName } = node
  if (uniqueName === undefined) return node
  const { checks, problems } = uniqueName
  const isNow = ({ column }: { readonly column: NamedColumn }): boolean =>
    column.definition.transform !== undefined
  await runChecks(checks.filter(isNow), problems, host)
  return { ...node, uniqueName: { ...uniqueName, checks: checks.filter((check) => !isNow(check)) } }
}

/** The values of columns with a `transform` as they were sent. */
const valuesToTransform = ({ resource, values }: RecordNode): Values =>
  Object.fromEntries(
    transformsOf(resource)
      .filter(({ column }) => isSent(values, column))
      .map(({ column: { name } }) => [name, values[name] as JsonValue]),
  )

/** The values of a record with stored forms; without the values to transform if the write `isRefused`. */
async function storedValues(
  { resource, values: sent, path }: RecordNode,
  isRefused: boolean,
  { host, storedForms }: Transforming,
): Promise<Values> {
  const values: Record<string, JsonValue> = { ...sent }
  for (const { column, transform } of transformsOf(resource)) {
    const { name } = column
    if (!isSent(sent, column)) continue
    if (isRefused) {
      delete values[name]
      continue
    }
    const at = pathTo(path, name)
    const known = storedForms.get(at)
    const value = sent[name] as JsonValue
    const stored = known ?? (await storedForm(resource, { column, transform }, value, path, host))
    storedForms.set(at, stored)
    values[name] = stored
  }
  return values
}

/**
 * Calls the function of the model; throws if its result is not a value of the column. The error does not quote any value. If the client
 * has disconnected, it throws instead, because the other values of a list may take long.
 */
async function storedForm(
  resource: Resource,
  { column, transform }: ColumnTransform,
  value: JsonValue,
  path: string,
  { callHook, args, isClientGone, atRecord }: TransformHost,
): Promise<JsonValue> {
  if (isClientGone()) throw clientGone()
  const name = `transform of ${resource.name}.${column.name}`
  const hookArgs = await args(resource, null)
  const run = () => callHook(name, () => transform(valueForHost(value), hookArgs))
  const call = () => andThen(run(), (result) => returnedCopy(name, returned(name, result)))
  const made = await atRecord(path, call)
  if (made === null) throw new Error(`The ${name} returned null.`)
  const converted = convertJson(column, made)
  if ('value' in converted) return converted.value
  throw new Error(`The ${name} must return ${converted.expected.text}.`)
}

interface ColumnTransform {
  readonly column: NamedColumn
  readonly transform: Transform
}

const transforms = new WeakMap<Resource, readonly ColumnTransform[]>()

/** The columns of a resource whose values are transformed. */
function transformsOf(resource: Resource): readonly ColumnTransform[] {
  const known = transforms.get(resource)
  if (known !== undefined) return known
  const found = [...resource.bodyColumns.values()].flatMap((column) => {
    const { transform } = column.definition
    return transform === undefined ? [] : [{ column, transform }]
  })
  transforms.set(resource, found)
  return found
}
