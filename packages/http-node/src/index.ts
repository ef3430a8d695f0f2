/** Serves an Api with node:http; the door for plain Node servers. */
export {}
