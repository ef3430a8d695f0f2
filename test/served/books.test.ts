/** A library of books, served unchanged. */
import { books } from './books.ts'
import { eachServed } from './served.ts'

eachServed(books)
