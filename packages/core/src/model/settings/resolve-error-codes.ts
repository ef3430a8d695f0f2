// Resolves the codes of errors that the host's functions throw: those of the configuration (API_ERROR_CODES), and those of a model's meta.

import type { ApiConfig } from './config.ts'
import { codeMethods, type DeclaredCode, type ErrorCodes } from './error-codes.ts'
import type { Meta } from './meta.ts'

/** Returns the codes of the whole API, or of one model: those of its meta in addition, or instead of those of the same name. */
export function resolveErrorCodes(
  config: ApiConfig,
  meta: Meta = {},
  modelName = '',
): readonly DeclaredCode[] {
  const all = new Map(
    [
      declared('config.API_ERROR_CODES', config.API_ERROR_CODES),
      declared(`models.${modelName}.meta.error_codes`, meta.error_codes),
    ]
      .flat()
      .map((declaredCode) => [declaredCode.code, declaredCode]),
  )
  return [...all.values()]
}

/** A wrong map arrives here too, because the codes of the service in it are reported together with its other mistakes. */
const declared = (place: string, codes: ErrorCodes = {}): DeclaredCode[] =>
  Object.entries(codes).map(([code, error]) => ({
    at: `${place}.${code}`,
    code,
    status: error?.status,
    description: error?.description,
    methods: error?.methods ?? codeMethods,
  }))
