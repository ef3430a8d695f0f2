/** Cycles in a directed graph, for tests about imports. */

/** The groups of at least two nodes in which every node can reach every other one, sorted. */
export function cyclesIn(
  edges: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const reached = new Map([...edges.keys()].map((node) => [node, reachedFrom(edges, node)]))
  const groups = new Map<string, readonly string[]>()
  for (const [node, others] of reached) {
    const group = [...others].filter((other) => reached.get(other)?.has(node)).sort()
    if (group.length > 1) groups.set(group.join(), group)
  }
  return [...groups.values()]
}

/** The nodes that can be reached by one edge or more. */
function reachedFrom(
  edges: ReadonlyMap<string, readonly string[]>,
  start: string,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...(edges.get(start) ?? [])]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue
    reached.add(node)
    waiting.push(...(edges.get(node) ?? []))
  }
  return reached
}
