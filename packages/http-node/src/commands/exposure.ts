// model-api exposure: what each role reaches through an API of one's own, as a text to commit and compare.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Api } from '@model-api/core'
import { messageOf } from '../failure.ts'
import type { CommandIo } from './io.ts'

type Exposing = Pick<Api, 'exposure'>

/** `model-api exposure ./api.ts admin editor`; without roles, those that the rules of the API name. */
export async function exposure(
  path: string,
  roles: readonly string[],
  io: Pick<CommandIo, 'out'>,
): Promise<void> {
  const api = exportedApi(await load(path))
  if (api === undefined) {
    throw new Error(
      `${path} exports no API. Expected \`export const api = createApi({ … })\`, or the API as its default export.`,
    )
  }
  const text = roles.length === 0 ? api.exposure() : api.exposure(roles)
  io.out(text.trimEnd())
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${messageOf(error)}`)
  }
}

const exportedApi = (module: Readonly<Record<string, unknown>>): Exposing | undefined =>
  [module.api, module.default].find(isApi)

const isApi = (value: unknown): value is Exposing =>
  typeof value === 'object' && value !== null && 'exposure' in value
