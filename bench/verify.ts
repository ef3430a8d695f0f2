/** Before anything is measured: model-api and the limit must give the same values. */
import { isDeepStrictEqual } from 'node:util'
import { open } from './client.ts'
import { random } from './random.ts'
import type { Workload } from './workloads.ts'

interface Asked {
  readonly name: string
  readonly asks: 'api' | 'own'
  readonly port: number
}

/** Throws where the limit answers something else than model-api; what is written by hand keeps its driver's forms. */
export async function verify(
  servers: readonly Asked[],
  workloads: readonly Workload[],
): Promise<void> {
  const compared = servers.filter(({ name, asks }) => asks === 'api' || name === 'limit')
  for (const workload of workloads) {
    if (workload.writes) continue
    for (let seed = 1; seed <= 3; seed++) {
      const answers = await Promise.all(compared.map((server) => answer(server, workload, seed)))
      answers.forEach((found, i) => {
        if (isDeepStrictEqual(found, answers[0])) return
        const text = (value: unknown): string => JSON.stringify(value).slice(0, 1500)
        throw new Error(
          `${workload.name}: ${compared[i]?.name} and ${compared[0]?.name} differ\n${text(found)}\n${text(answers[0])}`,
        )
      })
    }
  }
}

async function answer({ port, asks }: Asked, workload: Workload, seed: number): Promise<unknown> {
  const connection = await open(port)
  const { body } = await connection.send(workload[asks](random(seed)))
  connection.close()
  const { value, total_count } = JSON.parse(body.toString())
  return { value, total_count }
}
