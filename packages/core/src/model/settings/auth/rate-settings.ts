// The rate limits of a model, by method.

import type { MetaMethod } from '../access/callbacks-of-model.ts'
import type { ApiConfig, MethodName } from '../config.ts'
import type { Meta } from '../meta.ts'
import { type RateWindow, readRateWindows } from './rate-windows.ts'

/** The windows of each method; empty: no limit. */
export type RateSettings = Readonly<Record<MethodName, readonly RateWindow[]>>

/** Resolves the limits: `post_rate_limit` takes precedence over `rate_limit`, and `rate_limit` over API_RATE_LIMIT. */
export function resolveRates(meta: Meta, config: ApiConfig): RateSettings {
  const of = (method: MethodName): readonly RateWindow[] => {
    const name = `${method.toLowerCase() as MetaMethod}_rate_limit` as const
    return readRateWindows(meta[name] ?? meta.rate_limit ?? config.API_RATE_LIMIT ?? '') ?? []
  }
  return {
    GET: of('GET'),
    POST: of('POST'),
    PATCH: of('PATCH'),
    PUT: of('PUT'),
    DELETE: of('DELETE'),
  }
}
