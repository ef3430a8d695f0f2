// The position of a write: told to its client, who carries it along, so that a replica that has not come so far is not read.

import { cookie } from '../auth/token-providers.ts'
import type { Call } from '../call.ts'
import { settingNames } from '../config/setting-names.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { invalidPosition } from '../errors.ts'
import { positionOf } from '../execute/position.ts'
import type { Result } from '../http/envelope.ts'
import { header } from '../http/request.ts'
import { open } from './read-stages.ts'

const headerName = 'x-write-position'
const cookieName = 'write_position'
/** Seconds that a browser keeps the cookie: by then every replica has come so far, or is to be looked after. */
const cookieAge = 600

/** What a write is told where its position could not be asked for: the primary is read. */
const unknown = 'unknown'

/**
 * The position that a read carries, `unknown` where it must not be read from a replica, or undefined. A header that
 * is no position is 400; a cookie that is none may be one of another database, and leads to the primary.
 */
export function carriedPosition(
  call: Pick<Call, 'request' | 'runtime'>,
  { server }: InternalDialect,
): string | undefined {
  const { request, runtime } = call
  const isPosition = (text: string): boolean =>
    text === unknown || (server?.replication?.isPosition(text) ?? false)
  const given = header(request, headerName)
  if (given !== undefined) {
    if (!isPosition(given)) throw invalidPosition(given)
    return given
  }
  if (runtime.settings.readYourWrites !== 'cookie') return undefined
  const kept = cookie(request, cookieName)
  if (kept === undefined) return undefined
  const text = kept.replaceAll('+', ',')
  return isPosition(text) ? text : unknown
}

/** The answer of a write with its position, where replicas are read and writers read what they wrote. */
export async function withPosition(call: Call, result: Result): Promise<Result> {
  const position = await positionAfter(call)
  if (position === undefined) return result
  return { ...result, headers: { ...result.headers, ...headersFor(call, position) } }
}

/** Whether writes of this call are told their position. */
export const tellsPosition = ({ runtime }: Call): boolean =>
  runtime.replicas !== undefined && runtime.settings.readYourWrites !== 'off'

async function positionAfter(call: Call): Promise<string | undefined> {
  const { own, connection } = await open(call)
  // What was written inside a transaction of the host's is not committed yet.
  if (own !== call.runtime.root) return undefined
  try {
    return (await positionOf(connection)) ?? unknown
  } catch (error) {
    // The write is stored, whatever became of this question.
    const cause = new Error(
      `${settingNames.readYourWrites}: the position of a write is not known.`,
      {
        cause: error,
      },
    )
    call.runtime.report(cause, call.request)
    return unknown
  }
}

function headersFor({ runtime, request }: Call, position: string): Record<string, string> {
  const told = { [headerName]: position }
  if (runtime.settings.readYourWrites !== 'cookie') return told
  // A comma may not stand in a cookie, and a plus stands in no position.
  const value = position.replaceAll(',', '+')
  const path = request.baseUrl || '/'
  const cookieText = `${cookieName}=${value}; Path=${path}; Max-Age=${cookieAge}; HttpOnly; Secure; SameSite=Lax`
  return { ...told, 'set-cookie': cookieText }
}
