/** APIs for tests that answer every GET from the cache of plans and statements, or never. */
import type { Api } from '@model-api/core'

/** Sends each GET twice and returns the second response, which uses the plan and the statements that the first one cached. */
export const askedTwice = (api: Api): Api => ({
  ...api,
  async handle(request) {
    if (request.method === 'GET') await api.handle(request)
    return api.handle(request)
  },
  async answer(request) {
    if (request.method === 'GET') await api.answer(request)
    return api.answer(request)
  },
})

/** Sends each request to a new API, which has cached nothing. */
export const askedFirst = (create: () => Api): Pick<Api, 'answer' | 'handle'> => ({
  handle: (request) => create().handle(request),
  answer: (request) => create().answer(request),
})
