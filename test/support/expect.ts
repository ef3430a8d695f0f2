/** Checks responses in the tests of the contract, and returns their value or errors. */
import type { Api } from '@model-api/core'
import { type Answer, get, send } from './api.ts'
import { equal, fail, match } from './assert.ts'

/** Sends a request whose response must be 200, and returns the response. */
export async function succeeds(api: Api, url: string): Promise<Answer> {
  const answer = await get(api, url)
  if (answer.status !== 200) fail(`${url}: ${answer.status} ${JSON.stringify(answer.errors)}`)
  return answer
}

/** The value of a successful answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape
export const read = async (api: Api, url: string): Promise<any> => (await succeeds(api, url)).value

/** One member of each object of a successful list. */
export async function column(api: Api, url: string, member = 'id'): Promise<unknown[]> {
  const value = await read(api, url)
  if (!Array.isArray(value)) fail(`${url}: not a list`)
  return value.map((item: Record<string, unknown>) => item[member])
}

export interface Refusal {
  readonly status?: number
  readonly error?: string
  /** Texts that the reason must contain. */
  readonly says?: readonly (string | RegExp)[]
  readonly at?: string
  readonly code?: string
}

/** Sends a request that must be refused, in the standard envelope and by default with 400. */
export async function refuses(api: Api, url: string, refusal: Refusal = {}): Promise<Answer> {
  const [first = ''] = url.split(' ')
  const answer = /^[A-Z]+$/.test(first)
    ? await send(api, first, url.slice(first.length + 1))
    : await get(api, url)
  const { status = 400, error, says = [], at, code } = refusal
  equal(answer.status, status, `${url}: ${answer.status} ${answer.text}`)
  equal([answer.body.status_code, answer.value], [status, null])
  if (error !== undefined) equal(answer.errors.error, error)
  if (at !== undefined) equal(answer.errors.at, at)
  if (code !== undefined) equal(answer.errors.code, code)
  for (const text of says) match(answer.errors.reason, text)
  return answer
}

/** The models of the shop, with additional meta for one of them. */
export function withMeta<M extends { readonly name: string; readonly meta?: object | undefined }>(
  models: readonly M[],
  name: string,
  meta: object,
): M[] {
  return models.map((model) =>
    model.name === name ? { ...model, meta: { ...model.meta, ...meta } } : model,
  )
}
