/** A tracker of issues on every database, served as it is. */
import { eachServed } from './served.ts'
import { tracker } from './tracker.ts'

eachServed(tracker)
