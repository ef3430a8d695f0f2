// TCP keep-alive: after how much silence the operating system checks that the server is still reachable.

/** Milliseconds of silence before the first keep-alive probe. */
export const keepAliveDelay = 10_000
