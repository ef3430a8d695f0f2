/** A web shop without foreign keys, in several languages, served unchanged. */
import { eachServed } from './served.ts'
import { wares } from './wares.ts'

eachServed(wares)
