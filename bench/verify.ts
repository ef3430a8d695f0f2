/** Checks, before anything is measured, that model-api and the limit return the same values, and other servers the same rows. */
import { isDeepStrictEqual } from 'node:util'
import type { Form, Found } from './ask.ts'
import { rivals } from './asks/rivals.ts'
import { type Answer, open } from './client.ts'
import { random } from './random.ts'
import { asked, type Server } from './servers.ts'
import type { Workload } from './workloads.ts'

type Asked = Pick<Server, 'name' | 'asks' | 'port' | 'cursors' | 'users'>

/**
 * Throws if the limit does not return the same values as model-api, or if another server does not return the same rows: ids, ids of
 * embedded rows, and totals. Servers written by hand may return values in the form of their driver.
 */
export async function verify(
  servers: readonly Asked[],
  workloads: readonly Workload[],
): Promise<void> {
  const equals = servers.filter(({ name, asks }) => asks === 'api' || name === 'limit')
  const others = servers.filter((server) => !equals.includes(server))
  for (const workload of workloads) {
    if (workload.writes) {
      for (const server of others) await foundBy(server, workload, 1)
      continue
    }
    for (let seed = 1; seed <= 3; seed++) {
      const answers = await Promise.all(equals.map((server) => foundBy(server, workload, seed)))
      answers.forEach((found, i) => {
        demandEqual(workload, equals[i], found, equals[0], answers[0])
      })
      const [expected] = answers
      if (expected === undefined) continue
      for (const server of others) {
        const found = await foundBy(server, workload, seed)
        if (found === undefined) continue
        demandEqual(workload, server, identities(found), equals[0], identities(expected))
      }
    }
  }
}

function demandEqual(
  { name }: Workload,
  server: Asked | undefined,
  found: unknown,
  other: Asked | undefined,
  expected: unknown,
): void {
  if (isDeepStrictEqual(found, expected)) return
  const [own, others] = [JSON.stringify(found), JSON.stringify(expected)]
  let at = 0
  while (own[at] === others[at]) at++
  const part = (text: string): string => text.slice(Math.max(0, at - 200), at + 200)
  throw new Error(
    `${name}: ${server?.name} and ${other?.name} differ at ${at}\n…${part(own)}\n…${part(others)}`,
  )
}

/** Sends one request of a workload and reads the response; undefined if the server has no form for the workload. */
async function foundBy(
  server: Asked,
  workload: Workload,
  seed: number,
): Promise<Found | undefined> {
  const { asks, port, name } = server
  const form: Form | undefined = workload[asks]
  if (form === undefined) return undefined
  const connection = await open(port)
  const answer = await connection.send(asked(server, form, random(seed)))
  connection.close()
  if (answer.status >= 300) {
    throw new Error(`${workload.name}: ${name} answers ${answer.status} ${answer.body}`)
  }
  return asks === 'api' || asks === 'own' ? envelope(answer) : rivals[asks].found(answer)
}

function envelope({ body }: Answer): Found {
  const { value, total_count } = JSON.parse(body.toString())
  return { value, total: total_count }
}

/**
 * Returns the ids of the rows and of their embedded rows as text. Sorts the embedded ids, because servers return embedded rows in
 * different orders.
 */
function identities({ value, total }: Found): unknown {
  return { total, rows: Array.isArray(value) ? value.map(identity) : identity(value) }
}

function identity(row: unknown): unknown {
  const { id, ...members } = row as { readonly id: unknown }
  const below = Object.entries(members)
    .filter(([, member]) => typeof member === 'object' && member !== null)
    .map(([name, member]) => [
      name,
      Array.isArray(member)
        ? member.map(identity).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
        : identity(member),
    ])
  return { id: String(id), ...Object.fromEntries(below) }
}
