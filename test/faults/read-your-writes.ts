/** Reads right after writes, while the replica lags or the cluster is under load: none may return the old value. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AnyKysely } from '../support/faults.ts'
import type { Fault, Scene } from './faults.ts'

const pairs = 1_000
const writers = 8
/** The labels with smaller keys are those of the clients. */
const firstLabel = 9
/** Milliseconds that a replica lags behind. */
const delay = 50

export const readYourWrites: Fault = {
  name: '1,000 reads right after writes, with the replica 50 ms behind',
  on: ['postgres with a replica', 'mysql with a replica', 'galera'],
  async run(scene) {
    const { other } = scene.setup
    if (other === undefined) throw new Error('the set-up has one server')
    const directly = other.admin()
    const stopLagging = await lag(scene, directly)
    const found = { stale: 0, failed: 0, staleDirectly: 0 }
    const writer = async (label: number): Promise<void> => {
      for (let i = 0; i < pairs / writers; i++) {
        const is = await writeAndRead(scene, directly, label, i)
        if (is.failed) found.failed += 1
        else if (is.stale) found.stale += 1
        if (is.staleDirectly) found.staleDirectly += 1
      }
    }
    try {
      await Promise.all(Array.from({ length: writers }, (_, i) => writer(firstLabel + i)))
    } finally {
      await stopLagging()
      await directly.destroy()
    }
    const { stale, failed, staleDirectly } = found
    console.log(`  ${stale} of ${pairs} reads stale; past the service ${staleDirectly} of ${pairs}`)
    if (stale + failed > 0) throw new Error(`${stale} reads were stale, ${failed} not answered`)
    if (staleDirectly === 0) throw new Error('nothing lagged')
  },
}

/** Writes through one service, then reads twice at the same time: through the next service, and directly from the other server. */
async function writeAndRead({ ports }: Scene, directly: AnyKysely, label: number, turn: number) {
  const at = (i: number): string => `http://127.0.0.1:${ports[i % ports.length]}/api/labels`
  const token = randomUUID()
  const written = await fetch(`${at(turn)}/${label}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  await written.text()
  const position = written.headers.get('x-write-position')
  const path = turn % 2 === 0 ? `/${label}` : `?id__eq=${label}`
  const [answer, row] = await Promise.all([
    fetch(at(turn + 1) + path, {
      headers: position === null ? {} : { 'x-write-position': position },
    }).then(async (read) => ({ status: read.status, text: await read.text() })),
    directly.selectFrom('labels').select('token').where('id', '=', label).executeTakeFirst(),
  ])
  return {
    failed: written.status !== 200 || answer.status !== 200,
    stale: !answer.text.includes(token),
    staleDirectly: row?.token !== token,
  }
}

/** Delays the replica until the returned function is called. The nodes of a cluster lag without that. */
async function lag({ setup }: Scene, replica: AnyKysely): Promise<() => Promise<void>> {
  if (setup.title === 'galera') return async () => {}
  if (setup.name === 'postgres') {
    const set = async (milliseconds: number): Promise<void> => {
      const value = sql.lit(`${milliseconds}ms`)
      await sql`alter system set recovery_min_apply_delay = ${value}`.execute(replica)
      await sql`select pg_reload_conf()`.execute(replica)
    }
    await set(delay)
    return () => set(0)
  }
  // MariaDB's own delay is in whole seconds.
  let goesOn = true
  const holding = (async () => {
    while (goesOn) {
      await sql`stop slave sql_thread`.execute(replica)
      await sleep(delay)
      await sql`start slave sql_thread`.execute(replica)
      await sleep(delay / 5)
    }
  })()
  return async () => {
    goesOn = false
    await holding
  }
}
