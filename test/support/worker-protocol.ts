/** What the runner and its workers say to each other, besides the report of a file. */

/** A path: run this file, then end. With `next`: wait for another file if this one left nothing behind. */
export type Order = string | { readonly file: string; readonly next: true }

/** Ends what a worker prints about one file, on both of its outputs. */
export const endOfFile = '\0end of file\0'
