/** What a process knows about all records: the states that have been written or are about to be, and which of them are acknowledged. */
import { ids, type State } from './world.ts'

/** The messages between the processes: before a write, the state to be stored; after its response, that it is stored. */
export type Message =
  | { readonly kind: 'announced'; readonly id: number; readonly state: State }
  | { readonly kind: 'acknowledged'; readonly id: number; readonly at: number }
  | { readonly kind: 'sync' | 'synced'; readonly number: number }

interface History {
  /** In the order in which they are stored: each record has one writer, which waits for each response. */
  readonly states: State[]
  /** The position of the last state whose write got its response. */
  acknowledged: number
}

const histories: ReadonlyMap<number, History> = new Map(
  ids.map((id) => [id, { states: [null], acknowledged: 0 }]),
)

const historyOf = (id: number): History => {
  const history = histories.get(id)
  if (history === undefined) throw new Error(`no record ${id}`)
  return history
}

/** Adds a state; returns its position. */
export const announce = (id: number, state: State): number => historyOf(id).states.push(state) - 1

export function acknowledge(id: number, at: number): void {
  historyOf(id).acknowledged = at
}

export const acknowledgedAt = (id: number): number => historyOf(id).acknowledged

export const lastState = (id: number): State => historyOf(id).states.at(-1) ?? null

/** The states that a read may show of a record: the one acknowledged before it began, and all later ones. */
export const possibleStates = (id: number, from: number): readonly State[] =>
  historyOf(id).states.slice(from)
