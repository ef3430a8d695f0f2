// servesMany: whether a request reads or writes several records (`args.many` of hooks), decided before its body is parsed.

import type { Action } from '../../../access/action.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'

/** `GET /api/books`, `POST /api/books` with a list, `PATCH /api/books` with a list or filters, `DELETE /api/books?…`. */
export function servesMany({ kind }: Route, action: Action, { body }: ApiRequest): boolean {
  if (action === 'POST') return startsList(body)
  return action.endsWith('MANY') || kind === 'collection'
}

/** Whether a body, parsed or not, is a JSON list. */
function startsList(body: unknown): boolean {
  if (typeof body === 'string') return /^[\t\n\r ]*\[/.test(body)
  if (!(body instanceof Uint8Array)) return Array.isArray(body)
  return body.find((byte) => !blanks.has(byte)) === openingBracket
}

/** `[` */
const openingBracket = 0x5b

/** The bytes that JSON allows before a value: tab, line feed, carriage return, space. */
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20])
