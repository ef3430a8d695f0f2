// Write positions: a write returns the primary's replication position, the client sends it with later reads, and replicas
// behind it are not used.

import { cookie } from '../../../../auth/tokens/token-providers.ts'
import { currentPosition } from '../../../../database/replicas/position.ts'
import type { InternalDialect } from '../../../../dialect/internal-dialect.ts'
import { invalidPosition } from '../../../../errors.ts'
import { type ApiRequest, header } from '../../../../model/request.ts'
import { settingNames } from '../../../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../../../model/settings/settings.ts'
import type { Runtime } from '../../../call/call.ts'
import type { Result } from '../../../envelope.ts'
import { type OpenedBy, openRequestDatabase } from './request-database.ts'

const headerName = 'x-write-position'
const cookieName = 'write_position'
/** Seconds that a browser keeps the cookie. A replica that is further behind needs attention. */
const cookieAge = 600

/** The position that a response contains if the position of the write could not be read. Reads that send it use the primary. */
const unknown = 'unknown'

/**
 * Returns the position sent with a read; `unknown` if the read must use the primary; undefined if none was sent. An invalid
 * header is a 400. An invalid cookie may come from another database, so it counts as `unknown`.
 */
export function carriedPosition(
  request: ApiRequest,
  { readYourWrites }: Pick<ApiSettings, 'readYourWrites'>,
  { server }: InternalDialect,
): string | undefined {
  const isPosition = (text: string): boolean =>
    text === unknown || (server?.replication?.isPosition(text) ?? false)
  const given = header(request, headerName)
  if (given !== undefined) {
    if (!isPosition(given)) throw invalidPosition(given)
    return given
  }
  if (readYourWrites !== 'cookie') return undefined
  const value = cookie(request, cookieName)
  if (value === undefined) return undefined
  // The cookie has a plus in place of a comma, as `cookieOf` says.
  const text = value.replaceAll('+', ',')
  return isPosition(text) ? text : unknown
}

/** Adds the write position to the response of a write. */
export async function withPosition(call: OpenedBy, result: Result): Promise<Result> {
  const position = await positionAfter(call)
  if (position === undefined) return result
  const headers = { ...result.headers, [headerName]: position }
  if (call.runtime.settings.readYourWrites !== 'cookie') return { ...result, headers }
  return { ...result, headers, cookies: [...(result.cookies ?? []), cookieOf(call, position)] }
}

/** Whether responses of writes contain the position: if there are replicas and API_READ_YOUR_WRITES is on. */
export const sendsPosition = ({
  database,
  settings,
}: Pick<Runtime, 'database' | 'settings'>): boolean =>
  database.replicas !== undefined && settings.readYourWrites !== 'off'

/** Returns the primary's position after a write; `unknown` if it cannot be read; undefined on an instance that the host chose. */
async function positionAfter(call: OpenedBy): Promise<string | undefined> {
  const { own, lease } = await openRequestDatabase(call)
  // The host's own instance may be a transaction that is not committed yet.
  if (own !== call.runtime.database.root) return undefined
  try {
    return (await currentPosition(lease)) ?? unknown
  } catch (error) {
    // The write is stored, so failing to read the position must not fail the request.
    const cause = new Error(
      `${settingNames.readYourWrites}: the position of a write is not known.`,
      {
        cause: error,
      },
    )
    call.runtime.host.report(cause, call.request)
    return unknown
  }
}

function cookieOf({ request }: OpenedBy, position: string): string {
  // Cookies cannot contain a comma, and positions never contain a plus.
  const value = position.replaceAll(',', '+')
  const path = request.baseUrl || '/'
  return `${cookieName}=${value}; Path=${path}; Max-Age=${cookieAge}; HttpOnly; Secure; SameSite=Lax`
}
