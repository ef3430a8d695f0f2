/** A monitoring system, served unchanged. */
import { monitor } from './monitor.ts'
import { eachServed } from './served.ts'

eachServed(monitor)
