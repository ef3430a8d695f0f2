// The WWW-Authenticate header of a 401: which credentials the client should send (RFC 9110 §11.6.1).

import type { StrategyName } from '../model/settings/access/access-types.ts'

const challenges: Readonly<Record<StrategyName, string>> = {
  jwt: 'Bearer',
  basic: 'Basic realm="api", charset="UTF-8"',
  api_key: 'Api-Key realm="api"',
  custom: 'Custom realm="api"',
}

/** Returns the challenges of the strategies, in the order given; that of `custom` for none, because then only the host refuses credentials. */
export const challengeOf = (strategies: readonly StrategyName[]): string =>
  (strategies.length === 0 ? (['custom'] as const) : strategies)
    .map((name) => challenges[name])
    .join(', ')
