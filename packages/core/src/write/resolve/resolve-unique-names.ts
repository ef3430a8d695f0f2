// resolveUniqueNames: finds or creates the records that nested objects name by a unique key, and replaces these objects by references:
// `POST /api/issues?labels.on_conflict=name {"title": "Crash", "labels": [{"name": "bug"}]}` finds or creates the label `bug`.

import { forbidden, missingReference } from '../../errors.ts'
import { visibleNames } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText, keyTextIn } from '../../query/run/key.ts'
import { initialValues } from '../check/initial-values.ts'
import { readReferred } from '../check/referred-records.ts'
import { hasSentBack } from '../check/write-checks.ts'
import type { WriteNested } from '../links/nested-lists.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import {
  type NestedNode,
  pathTo,
  type RecordNode,
  type ReferenceNode,
  type SentBack,
  type UniqueName,
  type Values,
} from '../nodes/node.ts'
import { newNode, optionsForNew } from '../nodes/write-node.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { WriteContext } from '../store/write-context.ts'
import { keyIn } from './look-up-records.ts'

/** A nested object that names a record by a unique key. */
type UniqueNode = RecordNode & { readonly uniqueName: UniqueName }

/** The objects that name the same record, in the order of the body. */
interface NamedRecord {
  readonly key: readonly Value[]
  readonly nodes: [UniqueNode, ...UniqueNode[]]
  /** The first of them, with the initial values that are part of the key. */
  readonly create: RecordNode
}

/**
 * Returns the records of a body in which each object that names a record by a unique key has become a reference to it. One look-up finds
 * the stored records; the others are created together, each by the first object that names it. This happens before any record of the body
 * is written, so that a list of records with such objects is written as one whose related records are all stored.
 */
export async function resolveUniqueNames(
  context: WriteContext,
  records: readonly RecordNode[],
  writeNested: WriteNested,
): Promise<readonly RecordNode[]> {
  const references = new Map<NestedNode, ReferenceNode>()
  for (const nodes of groupsOf(records))
    await addReferences(context, nodes, references, writeNested)
  return references.size === 0
    ? records
    : records.map((record) => withReferences(record, references))
}

/** The objects that name records of one model by the same columns. */
function groupsOf(
  records: readonly RecordNode[],
): Iterable<readonly [UniqueNode, ...UniqueNode[]]> {
  const groups = new Map<readonly NamedColumn[], [UniqueNode, ...UniqueNode[]]>()
  const known = new Set<NestedNode>()
  for (const { parents, children } of records) {
    const nested = [...parents.map(({ node }) => node), ...children.flatMap(({ nodes }) => nodes)]
    for (const node of nested) {
      if (!isUniqueNode(node) || known.has(node)) continue
      known.add(node)
      const group = groups.get(node.uniqueName.columns)
      if (group === undefined) groups.set(node.uniqueName.columns, [node])
      else group.push(node)
    }
  }
  return groups.values()
}

const isUniqueNode = (node: NestedNode): node is UniqueNode =>
  node.kind === 'record' && node.uniqueName !== undefined

/** Finds or creates the records of one group, and adds the reference that replaces each of its objects. */
async function addReferences(
  context: WriteContext,
  nodes: readonly [UniqueNode, ...UniqueNode[]],
  references: Map<NestedNode, ReferenceNode>,
  writeNested: WriteNested,
): Promise<void> {
  const [{ resource, uniqueName, path }] = nodes
  const { columns } = uniqueName
  // Before the look-up, so that callers who may not read cannot find out which records exist.
  if (!(await context.access.mayWrite(resource, 'GET_ONE'))) throw forbidden(path)
  const named = await byKey(context, nodes)
  // A collation makes keys equal that differ in case, so a later object may name a record that an earlier one has created.
  const isCollated = columns.some(({ collation }) => collation !== undefined)
  for (const namedTogether of isCollated ? inAnyCase(named) : [named]) {
    const stored = await storedKeys(context, resource, columns, namedTogether)
    const missing = namedTogether.filter((_, i) => stored[i] === undefined)
    const created = await createdRecords(context, resource, columns, missing, writeNested)
    for (let i = 0; i < namedTogether.length; i++) {
      const { nodes, create } = namedTogether[i] as NamedRecord
      const record = created.get(create)
      const key = stored[i] ?? (record && keyIn(resource, record))
      if (key === undefined) continue
      const [first] = nodes
      for (const node of nodes) {
        const { path } = node
        const isNew = record !== undefined && path === first.path
        const sentBack = isNew ? nothingSentBack : node.uniqueName.sentBack
        const members = { resource, path, key, sentBack, otherwise: null }
        // An object whose fields are compared with the record looks it up, so the caller must be able to read it.
        const isKnown = record !== undefined && !hasSentBack({ sentBack })
        references.set(node, { kind: 'reference', ...members, ...(isKnown && { created: record }) })
      }
    }
  }
}

const nothingSentBack: SentBack = { fields: {}, otherForms: {}, urls: {} }

/**
 * The objects by the record that they name. An object whose default for the key is NULL names no record, so it is left out, and creates
 * one. An upsert has read each object twice, as part of a change and of a new record; its defaults are called once.
 */
async function byKey(
  context: WriteContext,
  nodes: readonly UniqueNode[],
): Promise<readonly NamedRecord[]> {
  const named = new Map<string, NamedRecord>()
  const byPath = new Map<string, NamedRecord | undefined>()
  let createsSome = false
  for (const node of nodes) {
    const { resource, values, uniqueName, path } = node
    if (byPath.has(path)) {
      byPath.get(path)?.nodes.push(node)
      continue
    }
    const unsent = uniqueName.columns.filter(({ name }) => values[name] === undefined)
    const initial: Values =
      unsent.length === 0 ? {} : await initialValues(context, resource, unsent)
    const key = keyFromRow(uniqueName.columns, { ...values, ...initial })
    if (key === undefined) {
      byPath.set(path, undefined)
      await addCreateProblems(context, node)
      createsSome = true
      continue
    }
    const text = keyText(key)
    const known = named.get(text)
    const namedRecord = known ?? { key, nodes: [node], create: { ...node, initial } }
    known?.nodes.push(node)
    named.set(text, namedRecord)
    byPath.set(path, namedRecord)
  }
  if (createsSome) context.problems.refuse()
  return [...named.values()]
}

/** The primary keys of the stored records that the caller may see, in the order of the names. */
async function storedKeys(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  named: readonly NamedRecord[],
): Promise<readonly (readonly Value[] | undefined)[]> {
  const found = new Map<string | undefined, Values>()
  const paths = (text: string): readonly string[] =>
    named
      .filter(({ key }) => keyText(key) === text)
      .flatMap(({ nodes }) => nodes.flatMap((node) => pathsOf(node, columns)))
  const keys = named.map(({ key }) => key)
  const [only] = keys
  // A collation may find a record whose key is spelt otherwise than the only one that is looked up.
  const text = keys.length === 1 && only !== undefined ? keyText(only) : undefined
  const read = columnsToRead(context, resource, { kind: 'reference', columns })
  for (const keyChunk of keyChunks(context.target.dialect, keys, columns)) {
    const plan = planRecords(resource, columns, keyChunk, { read })
    const referred = { holder: undefined, columns, keys: keyChunk, paths }
    for (const row of await readReferred(context, plan, referred)) {
      found.set(text ?? keyTextIn(columns, row), row)
    }
  }
  return keys.map((key) => {
    const row = found.get(keyText(key))
    return row && keyIn(resource, row)
  })
}

/** Creates the records that are missing. Returns their values, at least the keys. */
async function createdRecords(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  missing: readonly NamedRecord[],
  writeNested: WriteNested,
): Promise<ReadonlyMap<RecordNode, Values>> {
  const records = new Map<RecordNode, Values>()
  if (missing.length === 0) return records
  // Clients cannot choose a generated key.
  if (columns.some(({ definition }) => definition.generated)) {
    throw missingReference(missing.flatMap(({ nodes }) => pathsOf(nodes[0], columns)))
  }
  for (const { nodes } of missing) await addCreateProblems(context, nodes[0])
  context.problems.refuse()
  // Two requests that create the same records in different orders would each wait for a key of the other.
  const inOrder = [...missing].sort(byKeyText)
  const options = optionsForNew(resource)
  const created = await writeNested(
    context,
    inOrder.map(({ create }) => newNode(options, create)),
  )
  for (let i = 0; i < inOrder.length; i++) {
    const record = created[i]
    if (record !== undefined) records.set((inOrder[i] as NamedRecord).create, record)
  }
  return records
}

const byKeyText = (a: NamedRecord, b: NamedRecord): number =>
  keyText(a.key) < keyText(b.key) ? -1 : 1

/** `byKeyText` for keys that may be equal although they differ in case: those stay in the order of the body. */
const byKeyTextInAnyCase = (a: NamedRecord, b: NamedRecord): number => {
  const [textA, textB] = [keyText(a.key).toLowerCase(), keyText(b.key).toLowerCase()]
  return textA === textB ? 0 : textA < textB ? -1 : 1
}

/** The names, each alone, in an order that is the same for all requests. */
const inAnyCase = (named: readonly NamedRecord[]): readonly (readonly NamedRecord[])[] =>
  [...named].sort(byKeyTextInAnyCase).map((namedRecord) => [namedRecord])

/** Adds the problems that an object has because it creates a record. */
async function addCreateProblems(
  { problems, validate }: WriteContext,
  { uniqueName }: UniqueNode,
): Promise<void> {
  for (const problem of uniqueName.problems.found) problems.add(problem.path, problem)
  await validate(uniqueName.checks)
}

/** The paths of the key of an object. */
const pathsOf = ({ path }: RecordNode, columns: readonly NamedColumn[]): readonly string[] =>
  visibleNames(columns).map((name) => pathTo(path, name))

/** The record with references in place of the objects that name records. */
function withReferences(
  record: RecordNode,
  references: ReadonlyMap<NestedNode, ReferenceNode>,
): RecordNode {
  const { parents, children } = record
  if (parents.length + children.length === 0) return record
  const resolved = (node: NestedNode): NestedNode => references.get(node) ?? node
  return {
    ...record,
    parents: parents.map(({ relation, node }) => ({ relation, node: resolved(node) })),
    children: children.map((list) => ({ ...list, nodes: list.nodes.map(resolved) })),
  }
}
