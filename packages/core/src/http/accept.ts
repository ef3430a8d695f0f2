// Content negotiation: whether a client prefers an HTML page to JSON, and whether it prefers errors as problem details to the envelope.

import { type ApiRequest, wholeHeader } from '../model/request.ts'
import { problemMediaType } from './problem-details.ts'

const page = 'text/html'
const json = 'application/json'

/**
 * Whether the client prefers an HTML page, as browsers do: true if `Accept` names `text/html` with a higher weight than JSON. A
 * client that accepts any type gets JSON.
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

/** Returns the weight (`q`) of a media type; 0 if the header does not name the type. A range such as `text/*` does not count. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';')
    if (name.trim() !== type) continue
    // `q=0.8`
    const weight = parameters
      .map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)?.[1])
      .find(Boolean)
    return weight === undefined ? 1 : Number(weight)
  }
  return 0
}
