/** Services whose cache of plans and statements takes part from the first request that a test looks at, or never. */
import type { Api } from '@model-api/core'

/** Sends each GET twice and answers the second, which uses the plan and the statements that it has cached. */
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

/** Sends each request to a service of its own, which has cached nothing. */
export const askedFirst = (create: () => Api): Pick<Api, 'answer' | 'handle'> => ({
  handle: (request) => create().handle(request),
  answer: (request) => create().answer(request),
})
