// WWW-Authenticate: what a 401 tells the client to send (RFC 9110 §11.6.1).

import type { StrategyName } from '../config/access-types.ts'

const challenges: Readonly<Record<StrategyName, string>> = {
  jwt: 'Bearer',
  basic: 'Basic realm="api", charset="UTF-8"',
  api_key: 'Api-Key realm="api"',
  custom: 'Custom realm="api"',
}

/** The challenges of the strategies that would do, in their order. */
export const challengeOf = (strategies: readonly StrategyName[]): string =>
  strategies.map((name) => challenges[name]).join(', ')
