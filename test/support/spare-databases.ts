/** Emptied databases of PostgreSQL, which later tests take: creating one costs the server ten times as much. */

/** The names of emptied databases, by the label of their server. */
export type Spares = Readonly<Record<string, readonly string[]>>

/** The number that a process keeps for each server. */
export const mostSpares = 4

const kept = new Map<string, string[]>()

/** The emptied databases of this process on a server. */
export function sparesOf(label: string): string[] {
  const names = kept.get(label) ?? []
  kept.set(label, names)
  return names
}

/** Gives the process databases that others have emptied. */
export function addSpares(spares: Spares): void {
  for (const [label, names] of Object.entries(spares)) sparesOf(label).push(...names)
}

/** Takes up to `most` databases of each server from the process. */
export function takeSpares(most: number): Spares {
  return Object.fromEntries([...kept].map(([label, names]) => [label, names.splice(0, most)]))
}
