// model-api exposure: what each role reaches through an API of one's own, as a text to commit and compare.

import { withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'

/** `model-api exposure ./api.ts admin editor`; without roles, those that the rules of the API name. */
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
