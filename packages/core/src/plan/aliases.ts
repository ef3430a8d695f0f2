// SQL aliases of the sources of one plan: readable, unique, short enough for every database.

/** Gives out aliases; the wanted name where it is free, else the name with a number. */
export type Aliases = (wanted: string) => string

const longest = 55

export function createAliases(): Aliases {
  // Lower case, since two of the databases compare aliases without case; with the number that the next one of a name gets.
  const taken = new Map<string, number>()
  return (wanted) => {
    const name = wanted.length > longest ? 'related' : wanted
    let alias = name
    let next = taken.get(name.toLowerCase()) ?? 2
    for (; taken.has(alias.toLowerCase()); next++) alias = `${name}_${next}`
    taken.set(name.toLowerCase(), next)
    if (alias !== name) taken.set(alias.toLowerCase(), 2)
    return alias
  }
}
