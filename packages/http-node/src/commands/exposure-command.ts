// model-api exposure: prints what each role can reach through an application's API, as text to commit and compare.

import { withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'

/** Runs `model-api exposure ./api.ts admin editor`. Default: all roles that the API's rules name. */
export async function exposure(
  path: string,
  roles: readonly string[],
  io: Pick<CommandIo, 'out'>,
): Promise<void> {
  const text = await withExportedApi(path, (api) =>
    roles.length === 0 ? api.exposure() : api.exposure(roles),
  )
  io.out(text.trimEnd())
}
