/** A blog without foreign keys, served unchanged on every database. */

import { blog } from './blog.ts'
import { eachServed } from './served.ts'

eachServed(blog)
