// keepAliveDelay: after how much silence on a connection to a database the operating system checks by TCP keep-alive that the server is
// still reachable.

/** Milliseconds of silence before the first keep-alive probe. */
export const keepAliveDelay = 10_000
