// suggestion: "Did you mean …?" for mistyped commands and options, at the end of a usage error.

/** Returns ` Did you mean "serve"?` if a known word is similar, otherwise the list of all known words. */
export function suggestion(unknown: string, known: readonly string[]): string {
  const near = known.find((word) => word.startsWith(unknown) || distance(unknown, word) <= 2)
  return near === undefined ? ` There are: ${known.join(', ')}.` : ` Did you mean "${near}"?`
}

/** Computes the edit distance: insertions, deletions and replacements. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
