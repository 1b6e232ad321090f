import { draftOf, nothing } from '../../../store/conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../../../store/contracts/annotations.ts'
import { createTestServer, type TestServer, type TestServerOptions } from '../../server.testkit.ts'

let documents = 0

/** Adds an annotation, of a new document, to a user's inbox. */
export async function annotate(
  { db, stores }: Pick<TestServer, 'db' | 'stores'>,
  owner: string,
  { url, ...parts }: Partial<AnnotationDraft> & { url?: string } = {},
): Promise<number> {
  const id = ++documents
  const address = url ?? `http://www.example.org/page-${id}`
  db.write(() =>
    db
      .prepare(
        `INSERT INTO documents (id, host, fp, url, parent, first_at, checked_at, run, status, outcome)
         VALUES (?, 'www.example.org', ?, ?, '', 0, 0, 1, 200, 'stored')`,
      )
      .run(id, id, address),
  )
  const draft = draftOf(id, id, {
    owner,
    at: Date.UTC(2026, 0, 1, 12),
    relevance: 4.5,
    urgency: 1,
    title: `Page ${id}`,
    extension: 'html',
    size: 1234,
    summary: { text: `The research of page ${id}`, marks: [[4, 12]] },
    explanation: {
      relevance: 4.5,
      threshold: 4,
      scorer: 'keywords',
      terms: [
        { key: 'research', weight: 3, worth: 3, count: 1, inTitle: 0, places: [{ where: 'body', start: 4, end: 12 }] },
      ],
      further: { terms: 0, worth: 0 },
      missing: 1,
      exclusions: [],
      expression: null,
    },
    ...parts,
  })
  const [annotation] = await stores.annotations.commit({ ...nothing, annotations: [draft] })
  return annotation!.id
}

/** A server with two users; it is closed when the work is done. */
export function withServer(
  work: (server: TestServer) => Promise<void>,
  options?: TestServerOptions,
): () => Promise<void> {
  return async () => {
    const server = await createTestServer(options)
    try {
      await server.addUser('ada@example.org')
      await server.addUser('bob@example.org')
      await work(server)
    } finally {
      await server.close()
    }
  }
}
