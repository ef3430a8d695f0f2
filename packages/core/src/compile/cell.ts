// Rows as the driver returns them, and how to find a value in them.

/** A row from the driver: an object by alias, or an array in the order of the select list. */
export type RawRow = Readonly<Record<string, unknown>> | readonly unknown[]

/** The location of a value in a row: its index if the row is an array, its alias if it is an object. */
export interface CellLocation {
  readonly index: number
  readonly alias: string
}

/** The location of the JSON of a row's object. */
export interface ObjectLocation extends CellLocation {
  /** Whether the JSON is complete, with relations; otherwise it is only the columns, without the closing brace: `{"id":1,"title":"Emma"`. */
  readonly complete: boolean
}

/** The value at a location of a row of either form. */
export const cellOf = (raw: RawRow, { index, alias }: CellLocation): unknown =>
  Array.isArray(raw) ? raw[index] : (raw as Readonly<Record<string, unknown>>)[alias]
