// SQL aliases of the sources of one plan: readable, unique, short enough for every database.

/** Gives out aliases; the wanted name where it is free, else the name with a number. */
export type Aliases = (wanted: string) => string

const longest = 55

export function createAliases(): Aliases {
  const taken = new Set<string>()
  return (wanted) => {
    const name = wanted.length > longest ? 'related' : wanted
    let alias = name
    // Lower case, since two of the databases compare aliases without case.
    for (let n = 2; taken.has(alias.toLowerCase()); n++) alias = `${name}_${n}`
    taken.add(alias.toLowerCase())
    return alias
  }
}
