// Rows of `pg` as the protocol brings them: a query of the driver's own kind that has nothing described, parsed or named.

/** What a statement of `pg` is answered with; as much of it as anybody asks for. */
interface PgAnswer {
  readonly command: string | null
  readonly rowCount: number | null
  readonly rows: readonly (readonly (string | null)[])[]
}

type PgCallback = (error: unknown, answer?: PgAnswer) => void

/** The connection of a client: what its queries write their messages to. */
interface DriverConnection {
  describe(...message: readonly unknown[]): void
}

/** What is used of the driver's queries, which are handed each message that comes. */
interface DriverQuery {
  name?: string
  callback: PgCallback
  prepare(connection: DriverConnection): void
}

type DriverQueryClass = new (
  text: string,
  values: readonly unknown[],
  callback: PgCallback,
) => DriverQuery

/** A query that `client.query` takes. */
export type TextRowsClass = new (
  name: string | undefined,
  text: string,
  values: readonly unknown[],
  callback: PgCallback,
) => object

/** What the driver calls on its queries, or they on themselves. */
const methods = [
  'submit',
  'prepare',
  'handleRowDescription',
  'handleDataRow',
  'handleCommandComplete',
  'handleReadyForQuery',
  'handleError',
] as const

const known = new WeakMap<DriverQueryClass, TextRowsClass>()

/**
 * The queries of this client whose rows are arrays of the protocol's texts; undefined where its driver is of another kind
 * (the native one), or asks for binary values: then it is told by options what its rows should be.
 *
 * The driver has every statement described at every execution, makes two objects of the description, and a copy of what
 * it was given; of one row, all that takes a tenth of the time of its request.
 */
export function textRowsOf(client: object): TextRowsClass | undefined {
  const { Query } = client.constructor as { Query?: DriverQueryClass }
  const { binary } = client as { binary?: unknown }
  if (typeof Query !== 'function' || binary === true) return undefined
  const has = Query.prototype as Readonly<Record<string, unknown>>
  if (methods.some((method) => typeof has[method] !== 'function')) return undefined
  const before = known.get(Query)
  if (before !== undefined) return before
  const made = textRowsClass(Query)
  known.set(Query, made)
  return made
}

/** `INSERT 0 1`, `SELECT 20`, `BEGIN` */
const completed = /^([A-Za-z]+)(?: \d+)??(?: (\d+))?$/

function textRowsClass(Query: DriverQueryClass): TextRowsClass {
  return class TextRows extends Query {
    readonly #rows: (readonly (string | null)[])[] = []
    #command: string | null = null
    #rowCount: number | null = null

    constructor(
      name: string | undefined,
      text: string,
      values: readonly unknown[],
      callback: PgCallback,
    ) {
      super(text, values, callback)
      if (name !== undefined) this.name = name
    }

    override prepare(connection: DriverConnection): void {
      super.prepare(undescribed(connection))
    }

    handleRowDescription(): void {}

    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      this.#rows.push(fields)
    }

    handleCommandComplete({ text }: { readonly text: string }): void {
      const [, command = null, count] = completed.exec(text) ?? []
      this.#command = command
      this.#rowCount = count === undefined ? null : Number(count)
    }

    handleReadyForQuery(): void {
      const answer = { command: this.#command, rowCount: this.#rowCount, rows: this.#rows }
      this.callback(null, answer)
    }
  }
}

const withoutDescriptions = new WeakMap<DriverConnection, DriverConnection>()

/** The connection, but that nothing is described: texts are read without knowing what they are called. */
function undescribed(connection: DriverConnection): DriverConnection {
  const before = withoutDescriptions.get(connection)
  if (before !== undefined) return before
  const made: DriverConnection = Object.create(connection, { describe: { value: () => {} } })
  withoutDescriptions.set(connection, made)
  return made
}
