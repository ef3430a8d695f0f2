/** A register of coordinate systems, served unchanged. */
import { coordinates } from './coordinates.ts'
import { eachServed } from './served.ts'

eachServed(coordinates)
