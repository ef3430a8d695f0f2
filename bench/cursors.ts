/** Gets cursors for far pages from the server's responses, before anything is measured. */
import { type Ask, type AskedAs, farPages, get, pageSize } from './ask.ts'
import { type Answer, headerOf, open } from './client.ts'
import type { Server } from './servers.ts'

interface Giver {
  /** Requests a page that ends with the book before the far page. */
  ask(first: number): Ask
  cursor(answer: Answer): string | null | undefined
}

const givers: Readonly<Partial<Record<AskedAs, Giver>>> = {
  api: {
    ask: (first) =>
      get(
        `/api/books?paging=cursor&id__ge=${first}&limit=${pageSize}&count=none&dump_relationships=false`,
      ),
    cursor: ({ body }) =>
      new URL(JSON.parse(body.toString()).next_url, 'http://localhost').searchParams.get('after'),
  },
  platformatic: {
    ask: (first) =>
      get(`/books?cursor=true&where.id.gte=${first}&limit=${pageSize}&orderby.id=asc`),
    cursor: ({ head }) => headerOf(head, 'x-start-after'),
  },
}

/** Returns a cursor for each far page; none for servers without cursors. */
export async function cursorsOf({
  asks,
  port,
  users: [headers],
}: Pick<Server, 'asks' | 'port' | 'users'>): Promise<readonly string[]> {
  const giver = givers[asks]
  if (giver === undefined) return []
  const connection = await open(port)
  const cursors: string[] = []
  for (let page = farPages.after; page < farPages.after + farPages.count; page++) {
    const answer = await connection.send({
      ...giver.ask((page - 1) * pageSize + 1),
      ...(headers === undefined ? {} : { headers }),
    })
    const cursor = giver.cursor(answer)
    if (typeof cursor !== 'string') throw new Error(`page ${page} has no cursor`)
    cursors.push(cursor)
  }
  connection.close()
  return cursors
}
