// SQL aliases for the sources of one plan: readable, unique, and short enough for every database: `author`, and `author_2` for a second
// source of this name.

/** Returns an unused alias: the wanted name if it is unused, or else that name with a number. */
export type Aliases = (wanted: string) => string

// In characters. PostgreSQL truncates identifiers to 63 bytes, and a number may be appended.
const maxLength = 55

export function createAliases(): Aliases {
  // Each used name, with the number to try next. In lower case, because SQLite and MariaDB compare aliases case-insensitively.
  const taken = new Map<string, number>()
  return (wanted) => {
    const name = wanted.length > maxLength ? 'related' : wanted
    let alias = name
    let next = taken.get(name.toLowerCase()) ?? 2
    for (; taken.has(alias.toLowerCase()); next++) alias = `${name}_${next}`
    taken.set(name.toLowerCase(), next)
    if (alias !== name) taken.set(alias.toLowerCase(), 2)
    return alias
  }
}
