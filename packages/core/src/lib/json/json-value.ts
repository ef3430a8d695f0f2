// JsonValue: any JSON value, plus numbers kept as text because JavaScript numbers would lose digits.

/** A JSON number kept as its text; `stringify` writes the text, `toJSON` gives JavaScript's nearest number. */
export interface VerbatimNumber {
  readonly verbatim: string
  toJSON(): number
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | VerbatimNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }
