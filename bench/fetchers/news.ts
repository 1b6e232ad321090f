import { once } from 'node:events'
import { connect } from 'node:net'
import { newsServerSkip, startNewsServer } from '../../src/fetchers/news/news-server.testkit.ts'
import { createNntpProtocol } from '../../src/fetchers/news/nntp-protocol.ts'
import { type Arena, type Read, readAll } from './contest.ts'
import { createLineClient, type LineClient } from './line-client.ts'
import { textOf } from './samples.ts'

const group = 'open.group'

/** A newsgroup on INN. */
export async function openNews(articles: number): Promise<Arena> {
  if (newsServerSkip !== false) return { missing: newsServerSkip }
  const server = await startNewsServer()
  await fill(server.port, articles)
  const nntp = createNntpProtocol({ newest: articles })
  return {
    contests: [
      {
        name: 'NNTP',
        items: articles,
        ours: () => readAll(nntp, `nntp://localhost:${server.port}/${group}`, { limits: { maxItems: articles } }),
        plain: { 'socket, pipelined ARTICLE': () => readPlainly(server.port) },
      },
    ],
    async close() {
      await nntp.close()
      await server.end()
    },
  }
}

async function open(port: number): Promise<{ client: LineClient; write(text: string): void }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const client = createLineClient(socket)
  await client.line()
  return { client, write: (text) => void socket.write(text) }
}

/** Feeds articles as another server would. */
async function fill(port: number, articles: number): Promise<void> {
  const { client, write } = await open(port)
  await client.ask('MODE STREAM')
  for (let n = 0; n < articles; n++) {
    const id = `<article-${n}@example.org>`
    write(`TAKETHIS ${id}\r\n${articleOf(n, id)}\r\n.\r\n`)
    await client.line()
  }
  await client.end()
}

const articleOf = (n: number, id: string): string =>
  [
    'Path: news.example.net!not-for-mail',
    'From: Harbour <harbour@example.org>',
    `Newsgroups: ${group}`,
    `Subject: Report ${n}`,
    `Message-ID: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    '',
    textOf(n),
  ].join('\r\n')

async function readPlainly(port: number): Promise<Read> {
  const { client } = await open(port)
  await client.ask('MODE READER')
  const [, , low, high] = (await client.ask(`GROUP ${group}`)).split(' ').map(Number)
  const numbers = Array.from({ length: high! - low! + 1 }, (_, at) => low! + at)
  const read = await client.readBlocks(numbers.map((number) => `ARTICLE ${number}`))
  await client.end()
  return read
}
