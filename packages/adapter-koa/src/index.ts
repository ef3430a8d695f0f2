/** The Koa adapter: mounts an Api as middleware. */
export {}
