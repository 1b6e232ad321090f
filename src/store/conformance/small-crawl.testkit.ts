import type { QueuedRequest } from '../../core/request.ts'
import type { DocumentStore } from '../contracts/documents.ts'
import type { OpenShard } from './engine.testkit.ts'
import { batchOf, noteOf, offerOf, offersOf, pageOf, queueOf } from './samples.testkit.ts'

/** One step of a small crawl, and its result on success. */
export type Step = { act(): Promise<unknown>; answer: unknown }

/** A small crawl of two new hosts: every kind of write, some of them across archive files if the engine has any. */
export function smallCrawl(
  { frontier, documents }: Pick<OpenShard, 'frontier'> & { documents: DocumentStore },
  name: string,
): Step[] {
  const [one, two] = [`${name}.one.example`, `${name}.two.example`]
  const kinds = async (captures: Parameters<typeof documents.record>[0]): Promise<string[]> =>
    (await documents.record(captures)).map(({ kind }) => kind)
  const rowsOf = async (host: string) => (await queueOf(frontier)).filter((row) => row.host === host)
  let idOfTwo: number | undefined
  let left: QueuedRequest[] | undefined
  return [
    {
      act: () => frontier.offer([...offersOf(one, 3), offerOf(two, '/', { depth: 2 })]),
      answer: { accepted: 4, known: 0, limited: 0, watches: new Map() },
    },
    {
      act: () =>
        kinds([
          pageOf(one, '/0', `${name} a`),
          pageOf(one, '/1', `${name} a`),
          pageOf(one, '/2', `${name} b`.repeat(80)),
        ]),
      answer: ['stored', 'duplicate', 'stored'],
    },
    {
      async act() {
        const rows = await rowsOf(one)
        const hosts = [{ id: rows[0]!.hostId, nextAt: 1, failures: 1, rests: 0 }]
        const again = [{ ...rows[2]!, attempts: 1 }]
        return frontier.settle({ offers: offersOf(one, 5), done: rows.slice(0, 2), again, hosts })
      },
      answer: { accepted: 2, known: 3, limited: 0, removed: 3, watches: new Map() },
    },
    {
      act: () =>
        kinds([
          pageOf(one, '/0', `${name} new`.repeat(60)),
          noteOf(one, '/1', 'failed'),
          pageOf(one, '/2', `${name} b`.repeat(80)),
        ]),
      answer: ['stored', 'noted', 'unchanged'],
    },
    {
      async act() {
        // Remembered for a retry, since nothing may be queued any more by then.
        idOfTwo ??= (await rowsOf(two))[0]!.hostId
        return frontier.giveUp(idOfTwo)
      },
      answer: { dropped: 1, watches: new Map() },
    },
    {
      act: () => frontier.saveRobots(`http://${one}`, { kind: 'allow-all', body: Buffer.alloc(0), expiresAt: 1 }),
      answer: undefined,
    },
    { act: async () => (await frontier.loadRobots(`http://${one}`))?.kind, answer: 'allow-all' },
    { act: () => frontier.saveTables(`http://${one}`, { kind: 'offered', expiresAt: 1 }), answer: undefined },
    { act: async () => (await frontier.loadTables(`http://${one}`))?.kind, answer: 'offered' },
    {
      async act() {
        // A retry settles the same requests again, as a crawl does.
        left ??= await queueOf(frontier)
        return (await frontier.settle(batchOf({ done: left }))).removed
      },
      answer: 3,
    },
  ]
}
