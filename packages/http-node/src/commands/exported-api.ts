// withExportedApi: loads the API that a module of the application exports, for the commands serve, exposure, check and openapi. Those of
// them that also take a database tell both apart by isModule.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Api } from '@model-api/core'
import { messageOf } from './output/failure.ts'

/** Whether an argument is a module rather than a database. */
export const isModule = (target: string): boolean => /\.[cm]?[jt]s$/.test(target)

/**
 * Runs `work` with the API of a module, then calls the module's `close`, if it exports one. Rejects with a message for the
 * user if the module cannot be loaded or exports no API.
 */
export async function withExportedApi<T>(
  path: string,
  work: (api: Api) => T | Promise<T>,
): Promise<T> {
  const module = await load(path)
  try {
    const api = [module.api, module.default].find(isApi)
    if (api !== undefined) return await work(api)
    throw new Error(
      `${path} exports no API. Expected \`export const api = createApi({ … })\`, or the API as its default export.`,
    )
  } finally {
    if (typeof module.close === 'function') await module.close()
  }
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${loadFailure(error)}`)
  }
}

/** Returns the whole message, because that of `createApi` has a line for each mistake, and what to do about TypeScript. */
function loadFailure(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown }
  const text = typeof message === 'string' && message !== '' ? message : messageOf(error)
  const isTypeScript = code === 'ERR_UNKNOWN_FILE_EXTENSION' && /"\.[cm]?ts"/.test(text)
  return isTypeScript
    ? `${text}. Node ${process.versions.node} loads no TypeScript: use Node 22.18 or newer, or name the compiled .js file.`
    : text
}

const isApi = (value: unknown): value is Api =>
  typeof value === 'object' && value !== null && ('openapi' in value || 'exposure' in value)
