/** What tests of the contract ask of an answer: its value where it must be a success, its errors where not. */
import type { Api } from '@model-api/core'
import { type Answer, get, send } from './api.ts'
import { equal, fail, match } from './assert.ts'

/** The answer, which must be 200. */
export async function succeeds(api: Api, url: string): Promise<Answer> {
  const answer = await get(api, url)
  if (answer.status !== 200) fail(`${url}: ${answer.status} ${JSON.stringify(answer.errors)}`)
  return answer
}

/** The value of a successful answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
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
  /** All of these stand in the reason. */
  readonly says?: readonly (string | RegExp)[]
  readonly at?: string
  readonly code?: string
}

/** The answer must be a failure in the standard envelope, 400 unless said otherwise. */
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

/** The shop's models with more meta for one of them. */
export function withMeta<M extends { readonly name: string; readonly meta?: object | undefined }>(
  models: readonly M[],
  name: string,
  meta: object,
): M[] {
  return models.map((model) =>
    model.name === name ? { ...model, meta: { ...model.meta, ...meta } } : model,
  )
}
