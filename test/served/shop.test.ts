/** A shop, served unchanged on every database. */
import { eachPairOfDatabases, eachServed } from './served.ts'
import { shop, shopOfTwoDatabases } from './shop.ts'

eachServed(shop)
eachPairOfDatabases('a shop of two databases as it is', shopOfTwoDatabases)
