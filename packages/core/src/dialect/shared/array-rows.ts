// Rows as arrays: the mark by which a statement asks a wrapped driver for them.

/**
 * The prefix of a statement whose rows should be arrays (of strings, if the protocol sends text). Wrappers remove it; for other
 * drivers it is a comment, and they return objects as usual.
 */
const mark = '/* model-api: rows as arrays */ '

/** The statement, asking for arrays. */
export const asArrays = (text: string): string => mark + text

export const asksForArrays = (text: string): boolean => text.startsWith(mark)

/** The statement itself. */
export const withoutMark = (text: string): string => text.slice(mark.length)
