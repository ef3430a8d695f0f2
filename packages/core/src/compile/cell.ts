// Rows as the driver gives them, and where in them a value stands.

/** A row as the driver gives it: values by alias, or in the order of the select list. */
export type RawRow = Readonly<Record<string, unknown>> | readonly unknown[]

/** What a value is found by: its place in the select list, or its alias. */
export interface Place {
  readonly index: number
  readonly alias: string
}

/** What the JSON text of a row's object is found by. */
export interface ObjectPlace extends Place {
  /** Whether the relations are in it; else it is the columns alone, `{"id":1,"title":"Emma"`. */
  readonly whole: boolean
}

/** The value of a row, of either form. */
export const cellOf = (raw: RawRow, { index, alias }: Place): unknown =>
  Array.isArray(raw) ? raw[index] : (raw as Readonly<Record<string, unknown>>)[alias]
