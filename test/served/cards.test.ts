/** A collection of cards, served unchanged. */
import { cards } from './cards.ts'
import { eachServed } from './served.ts'

eachServed(cards)
