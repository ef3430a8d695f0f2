/** An issue tracker, served unchanged on every database. */
import { eachServed } from './served.ts'
import { tracker } from './tracker.ts'

eachServed(tracker)
