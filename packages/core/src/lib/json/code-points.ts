// Compares strings by code point: the order of their UTF-8 bytes, and therefore of every binary collation.

/**
 * Compares two texts by code point; JavaScript's own `<` compares UTF-16 units and puts U+1F600 before U+FFFD.
 *
 * Negative when `a` comes first, zero when they are equal, positive when `b` comes first.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const unitA = a.charCodeAt(at)
    const unitB = b.charCodeAt(at)
    if (unitA !== unitB) return rank(unitA) - rank(unitB)
  }
  return a.length - b.length
}

/** Surrogates encode code points above all other UTF-16 units, so they rank last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
