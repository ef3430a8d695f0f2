// notJson: finds what in a host's value cannot be serialised as JSON, such as a bigint or a cycle, for the error that says so.

import { isKeptSorted, isVerbatim } from './verbatim.ts'

/** A step of the traversal; `leaves` marks the end of an object. */
type Step = { readonly value: unknown; readonly path: string } | { readonly leaves: object }

/**
 * Describes what cannot be serialised, and where; undefined if `stringify` accepts the value. As in JSON.stringify, members that
 * are undefined, functions or symbols are skipped, and `toJSON` is called.
 *
 * ```ts
 * notJson({ total: 12n }) // 'a bigint at .total'
 * ```
 */
export function notJson(root: unknown): string | undefined {
  if (root !== undefined && isPlain(root, 30)) return undefined
  if (root === undefined || typeof root === 'function' || typeof root === 'symbol') {
    return root === undefined ? 'undefined' : `a ${typeof root}`
  }
  const above = new Set<object>()
  const steps: Step[] = [{ value: root, path: '' }]
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('leaves' in step) {
      above.delete(step.leaves)
      continue
    }
    const { path } = step
    const value = written(step.value)
    const place = path === '' ? '' : ` at ${path.slice(0, 200)}`
    if (typeof value === 'bigint') return `a bigint${place}`
    if (typeof value !== 'object' || value === null) continue
    if (above.has(value)) return `an object that contains itself${place}`
    above.add(value)
    steps.push({ leaves: value })
    for (const key of Object.keys(value)) {
      const member = (value as Readonly<Record<string, unknown>>)[key]
      if (typeof member !== 'object' && typeof member !== 'bigint') continue
      steps.push({
        value: member,
        path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
      })
    }
  }
  return undefined
}

/**
 * Whether a value consists of arrays and plain objects at most `depth` deep, without bigints and `toJSON`. This is the usual case
 * for results of callbacks, and testing it costs a quarter of the full traversal.
 */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object') {
    return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol'
  }
  if (value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth - 1)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false
  for (const key in value) {
    if (!isPlain((value as Readonly<Record<string, unknown>>)[key], depth - 1)) return false
  }
  return true
}

/** Returns the value that is serialised: the result of `toJSON`, except for verbatim numbers and objects with sorted keys. */
function written(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isVerbatim(value)) return value.verbatim
  if (isKeptSorted(value)) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value) : value
}
