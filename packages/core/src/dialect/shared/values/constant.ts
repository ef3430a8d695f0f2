// Constant: a literal in an expression of the catalogue. Types only.

/** The characters of a string, or a number or `true` or `false` as written. */
export interface Constant {
  readonly text: string
  readonly isString: boolean
}
