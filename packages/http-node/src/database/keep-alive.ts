// How soon the operating system asks whether the other side of a silent connection is still there.

/** Milliseconds of silence after which TCP keep-alive begins to ask. */
export const keepAliveDelay = 10_000
