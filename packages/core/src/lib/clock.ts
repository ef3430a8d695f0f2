// Clock: wall time and monotonic time. Types only.

/** The clock of the service; tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed point, monotonic. */
  elapsed(): number
}
