/** A wiki whose texts are bytes, served unchanged. */
import { eachServed } from './served.ts'
import { wiki } from './wiki.ts'

eachServed(wiki)
