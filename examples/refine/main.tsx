// The library in refine, with plain HTML: a table of books with pages, an order and a filter.

import { Refine, useMany, useTable } from '@refinedev/core'
import { createRoot } from 'react-dom/client'
import { dataProvider } from './data-provider.ts'

interface Book {
  readonly id: number
  readonly title: string
  readonly author_id: number
  readonly price: string | null
}

interface Author {
  readonly id: number
  readonly name: string
}

const asked = new URLSearchParams(location.search).get('title') ?? ''

function Books() {
  const table = useTable<Book>({
    resource: 'books',
    pagination: { pageSize: 10 },
    sorters: { initial: [{ field: 'title', order: 'asc' }] },
    filters: { initial: [{ field: 'title', operator: 'contains', value: asked }] },
    syncWithLocation: false,
  })
  const books = table.result.data
  const authors = useMany<Author>({
    resource: 'authors',
    ids: [...new Set(books.map(({ author_id: id }) => id))],
    queryOptions: { enabled: books.length > 0 },
  })
  const nameOf = (id: number) => authors.result.data.find((one) => one.id === id)?.name ?? '…'
  return (
    <main>
      <h1>Books</h1>
      <label>
        Title{' '}
        <input
          defaultValue={asked}
          onChange={({ target }) =>
            table.setFilters([{ field: 'title', operator: 'contains', value: target.value }])
          }
        />
      </label>
      <p>{table.result.total} books</p>
      <table>
        <tbody>
          {books.map((book) => (
            <tr key={book.id}>
              <td>{book.title}</td>
              <td>{nameOf(book.author_id)}</td>
              <td>{book.price}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button
        type="button"
        disabled={table.currentPage === 1}
        onClick={() => table.setCurrentPage(table.currentPage - 1)}
      >
        Previous
      </button>
      <button
        type="button"
        disabled={table.currentPage >= table.pageCount}
        onClick={() => table.setCurrentPage(table.currentPage + 1)}
      >
        Next
      </button>
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <Refine
    dataProvider={dataProvider('/api') as never}
    options={{ disableTelemetry: true }}
    resources={[{ name: 'books' }, { name: 'authors' }]}
  >
    <Books />
  </Refine>,
)
