/** How much a test run does. */

/** `whole` leaves nothing out. The closing lines name everything that `usual` leaves out. */
export type Extent = 'usual' | 'whole'

/** The extent of this run, which the runner tells its processes. */
export const extent: Extent = process.env.TEST_WHOLE === '1' ? 'whole' : 'usual'
