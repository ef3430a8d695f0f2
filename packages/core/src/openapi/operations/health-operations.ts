// The health routes as operations.

import type { OperationObject, PathItemObject } from 'openapi3-ts/oas31'
import { failuresOf } from '../error-responses.ts'
import { healthTag } from '../info.ts'
import { ok } from './auth-operations.ts'
import type { Writer } from './operations.ts'

/** Returns the health routes that are served, with their operations. */
export function healthPaths(writer: Writer): Record<string, PathItemObject> {
  const { healthRoute } = writer.settings
  if (healthRoute === null) return {}
  return {
    [healthRoute]: { get: operation(writer, 'getHealth', 'Whether the process lives', 'live') },
    [`${healthRoute}/ready`]: {
      get: operation(writer, 'getReadiness', 'Whether requests can be served', 'ready'),
    },
  }
}

function operation(
  writer: Writer,
  id: string,
  summary: string,
  status: 'live' | 'ready',
): OperationObject {
  const value = {
    type: 'object' as const,
    properties: { status: { type: 'string' as const, const: status } },
    required: ['status'],
    additionalProperties: false,
  }
  return {
    operationId: writer.operationId(id),
    summary,
    description: 'For load balancers and orchestrators.',
    tags: [healthTag],
    security: [],
    responses: {
      200: ok(writer, value),
      ...failuresOf(writer, 'Health', [
        'always',
        ...(status === 'ready' ? (['health'] as const) : []),
      ]),
    },
  }
}
