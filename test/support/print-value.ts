/** Prints values as JSON, on one line if that is short enough. */

const width = 92

export type Replacer = (key: string, value: unknown) => unknown

/**
 * Leaves out members that are undefined; a bigint ends with `n`. As in JSON.stringify, `replacer` may replace each member, for
 * example to shorten it or to end a cycle.
 */
export function printValue(value: unknown, replace: Replacer = (_, member) => member): string {
  return print(replace('', value), replace, '', [])
}

function print(
  value: unknown,
  replace: Replacer,
  indent: string,
  parents: readonly unknown[],
): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  if (parents.includes(value)) return '"(circular)"'
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return print(value.toJSON(), replace, indent, parents)
  }
  const inside = [...parents, value]
  const deeper = `${indent}  `
  const member = (key: string, item: unknown): string | undefined => {
    const kept = replace(key, item)
    return kept === undefined ? undefined : print(kept, replace, deeper, inside)
  }
  const isList = Array.isArray(value) || value instanceof Set
  const items = isList
    ? [...value].map((item, index) => member(String(index), item) ?? 'null')
    : [...(value instanceof Map ? value : Object.entries(value))].flatMap(([key, item]) => {
        const text = member(String(key), item)
        return text === undefined ? [] : `${JSON.stringify(String(key))}: ${text}`
      })
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return `${open}${close}`
  const space = isList ? '' : ' '
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (!line.includes('\n') && indent.length + line.length <= width) return line
  return `${open}\n${items.map((item) => deeper + item).join(',\n')}\n${indent}${close}`
}
