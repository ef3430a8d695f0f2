/** How much a test run does. */

/**
 * `usual`: what `npm test` runs. `whole`: every check there is. `further`: for `.ci/run`, the files and servers of a whole run that a
 * usual run on the same source leaves out, each with the amounts of a usual run. The closing lines name everything that a run leaves out.
 */
export type Extent = 'usual' | 'whole' | 'further'

/** The runner tells its processes. */
const told = process.env.TEST_EXTENT

/** How much the files of this run do. */
export const extent: Exclude<Extent, 'further'> = told === 'whole' ? 'whole' : 'usual'

/** Whether this run has the checks of a release. */
export const checksRelease: boolean = told === 'whole' || told === 'further'
