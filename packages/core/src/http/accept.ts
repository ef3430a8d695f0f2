// Content negotiation: whether a client prefers a page to JSON, and errors as problem details to the envelope.

import { problemMediaType } from './problem-details.ts'
import { type ApiRequest, wholeHeader } from './request.ts'

const page = 'text/html'
const json = 'application/json'

/**
 * Whether the client is a browser that shows a page: `Accept` names `text/html`, and gives it a higher weight than JSON. A client that
 * accepts anything gets JSON.
 */
export function prefersPage(request: ApiRequest): boolean {
  const accept = wholeHeader(request, 'accept')
  if (accept === undefined || !accept.toLowerCase().includes(page)) return false
  return weightOf(accept, page) > weightOf(accept, json)
}

/** Whether errors are sent as problem details: `Accept` names their media type, and gives JSON no higher weight. */
export function prefersProblem(request: ApiRequest): boolean {
  const accept = wholeHeader(request, 'accept')
  if (accept === undefined || !accept.toLowerCase().includes(problemMediaType)) return false
  const weight = weightOf(accept, problemMediaType)
  return weight > 0 && weight >= weightOf(accept, json)
}

/** The weight of a media type that the header names itself; 0 if it does not. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';')
    if (name.trim() !== type) continue
    const weight = parameters.map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean)
    return weight === undefined ? 1 : Number(weight)
  }
  return 0
}
