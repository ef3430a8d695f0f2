// Takes customers over from another system, in lists. It can be run again after an interruption: what is stored is not stored twice.

import type { Client } from '@model-api/core/client'
import type { Clinic } from './api.ts'

export interface OldCustomer {
  readonly number: string
  readonly name: string
  readonly email: string | null
  readonly birthday: string | null
}

/** A list that was refused, with the problems of its customers by their position in the old list. */
export interface Refused {
  readonly from: number
  readonly message: string
}

const perRequest = 500

export async function takeOver(
  client: Client<Clinic>,
  customers: readonly OldCustomer[],
): Promise<readonly Refused[]> {
  const refused: Refused[] = []
  for (let from = 0; from < customers.length; from += perRequest) {
    const list = customers.slice(from, from + perRequest)
    // A customer with a number that is stored is changed, so that a second run brings the newest state.
    const stored = await client.customers.createMany(list, {
      onConflict: 'number',
      idempotencyKey: `takeover-${from}`,
      headers: { prefer: 'return=minimal' },
    })
    if (!stored.ok) refused.push({ from, message: stored.error.message })
  }
  return refused
}
