// The headers of a request that the options of a client's method set: `{ ifMatch: '"a1"' }` → `if-match: "a1"`.

/** The options that become headers. */
export interface HeaderOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly merge?: boolean | undefined
}

/** Builds the headers of a request from its options. */
export function headersOf({
  headers,
  ifMatch,
  ifNoneMatch,
  idempotencyKey,
  merge,
}: HeaderOptions): Readonly<Record<string, string>> {
  return {
    ...(merge && { 'content-type': 'application/merge-patch+json' }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
  }
}
