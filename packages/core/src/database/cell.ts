// Rows as the driver returns them, and how to find a value in them: `query/compile` and `write` note where each selected value is, and
// read it by `cellOf` when the rows arrive. Instead of values, a row may contain the JSON of a whole record (ObjectLocation).

/** A row from the driver: an object by alias (`{ title: 'Emma' }`), or an array in the order of the select list (`['Emma']`). */
export type RawRow = Readonly<Record<string, unknown>> | readonly unknown[]

/** The location of a value in a row: its index if the row is an array, its alias if it is an object. */
export interface CellLocation {
  readonly index: number
  readonly alias: string
}

/** Where a row contains the JSON that the database has built for its record. */
export interface ObjectLocation extends CellLocation {
  /**
   * Whether the JSON is complete, with relations; otherwise it is only the columns, without the closing brace:
   * `{"id":1,"title":"Emma"`.
   */
  readonly complete: boolean
}

/** Returns the value at a location, whether the row is an array or an object. */
export const cellOf = (raw: RawRow, { index, alias }: CellLocation): unknown =>
  Array.isArray(raw) ? raw[index] : (raw as Readonly<Record<string, unknown>>)[alias]
