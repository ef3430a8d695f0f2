/** The Express adapter: mounts an Api as middleware. */
export {}
