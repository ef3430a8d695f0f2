/** A line diff short enough to be read in a terminal. */

const context = 2

/** Lines only in `expected` begin with `-`, lines only in `actual` with `+`; empty when equal. */
export function diffLines(expected: string, actual: string): string {
  if (expected === actual) return ''
  const lines = align(expected.split('\n'), actual.split('\n'))
  const near = (index: number): boolean =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ mark }) => mark !== ' ')
  const shown: string[] = []
  for (const [index, { mark, text }] of lines.entries()) {
    if (near(index)) shown.push(`${mark} ${text}`.trimEnd())
    else if (shown.at(-1) !== '  …') shown.push('  …')
  }
  return shown.join('\n')
}

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The longest common subsequence, by the usual table. */
function align(left: readonly string[], right: readonly string[]): Line[] {
  const width = right.length + 1
  const common = new Uint32Array((left.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      common[i * width + j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    const a = left[i]
    const b = right[j]
    if (a !== undefined && a === b) {
      lines.push({ mark: ' ', text: a })
      i++
      j++
    } else if (a !== undefined && (b === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: a })
      i++
    } else {
      lines.push({ mark: '+', text: b ?? '' })
      j++
    }
  }
  return lines
}
