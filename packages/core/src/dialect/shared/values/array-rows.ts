// Rows as arrays: the mark by which a statement asks a wrapped driver for them. A lease adds it, the wrappers of `drivers` look for it and
// remove it.

/**
 * The prefix of a statement whose rows should be arrays (of strings, if the protocol sends text). Wrappers remove it; for other
 * drivers it is a comment, and they return objects as usual.
 */
const mark = '/* model-api: rows as arrays */ '

/** Adds the mark to a statement. */
export const asArrays = (text: string): string => mark + text

/** Whether a statement has the mark. */
export const asksForArrays = (text: string): boolean => text.startsWith(mark)

/** Removes the mark from a statement that has it. */
export const withoutArrayMark = (text: string): string => text.slice(mark.length)
