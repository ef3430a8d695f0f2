// Constant: a literal in an expression of a database's catalogue, such as that of a default or a partial index. Types only.

/** The characters of a string, or a number or `true` or `false` as written. */
export interface Constant {
  readonly text: string
  readonly isString: boolean
}
