// The rate limits of a model, by method: `post_rate_limit: '5 per minute'` in its meta.

import type { MetaMethod } from '../access/callbacks-of-model.ts'
import type { ApiConfig, MethodName } from '../config.ts'
import type { Meta } from '../meta.ts'
import { type RateWindow, readRateWindows } from './rate-windows.ts'

/** The windows of each method; empty: no limit. */
export type RateSettings = Readonly<Record<MethodName, readonly RateWindow[]>>

/** Resolves the limits: `post_rate_limit` takes precedence over `rate_limit`, and `rate_limit` over API_RATE_LIMIT; if none is set, there is none. */
export function resolveRates(meta: Meta, config: ApiConfig): RateSettings {
  const windowsOf = (method: MethodName): readonly RateWindow[] => {
    const name = `${method.toLowerCase() as MetaMethod}_rate_limit` as const
    return readRateWindows(meta[name] ?? meta.rate_limit ?? config.API_RATE_LIMIT ?? '') ?? []
  }
  return {
    GET: windowsOf('GET'),
    POST: windowsOf('POST'),
    PATCH: windowsOf('PATCH'),
    PUT: windowsOf('PUT'),
    DELETE: windowsOf('DELETE'),
  }
}
