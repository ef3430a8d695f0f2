// Rows as arrays: how a statement asks for them, and how a wrapped driver sees that it does.

/**
 * Stands before a statement whose rows are to come as arrays, of texts where the protocol has texts. It is a comment, and
 * wrappers take it away: whoever does not know it answers as ever, and nobody else's statement begins like this.
 */
const mark = '/* model-api: rows as arrays */ '

/** The statement, asking for arrays. */
export const asArrays = (text: string): string => mark + text

export const asksForArrays = (text: string): boolean => text.startsWith(mark)

/** The statement itself. */
export const withoutMark = (text: string): string => text.slice(mark.length)
