/** A token provider that a configuration names as `"module#export"`. */
import type { ApiRequest } from '@model-api/core'

export const fromBadge = async (request: ApiRequest): Promise<string | null> => {
  const token = request.headers?.['x-token']
  return typeof token === 'string' ? token : null
}
