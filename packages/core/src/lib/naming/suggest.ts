// "Did you mean …?": finds the known name nearest to an unknown one, for error messages.

/** Computes the edit distance (insert, delete, replace, transpose); stops once it exceeds `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      }
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** `Order-Item` → `orderitem` */
const plain = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '')

/** `orderItem`, `order-item` → `['order', 'item']` */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[-_\s]+/)

/** Returns the only known name that begins or ends with the words of `unknown`: `born_on` for `born`. */
function onlyLonger(unknown: string, known: readonly string[]): string | undefined {
  const wanted = wordsOf(unknown).join('_')
  if (wanted.length < 3) return undefined
  const found = known.filter((name) => {
    const text = wordsOf(name).join('_')
    return text.startsWith(`${wanted}_`) || text.endsWith(`_${wanted}`)
  })
  return found.length === 1 ? found[0] : undefined
}

/**
 * Returns the known name nearest to `unknown`. If more than 40 % of the letters differ in all of them, returns the only known name
 * that begins or ends with the words of `unknown`, or undefined.
 */
export function nearest(unknown: string, names: Iterable<string>): string | undefined {
  const known = [...names]
  const wanted = plain(unknown)
  const limit = Math.max(1, Math.floor(wanted.length * 0.4))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const name of known) {
    const d = distance(wanted, plain(name), limit)
    if (d < bestDistance) {
      best = name
      bestDistance = d
    }
  }
  return best ?? onlyLonger(unknown, known)
}

/** Returns the sentence to append to an error: ` Did you mean "title"?`, or an empty string. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const name = nearest(unknown.slice(0, 100), known)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}
