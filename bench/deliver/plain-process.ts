// Sends to the same receivers with the libraries alone: an upper bound for any engine.
import { createTransport } from 'nodemailer'
import { Agent, request } from 'undici'
import { answerCalls } from './child.ts'

export type PlainOrder = { port: number; count: number; bytes: number }

/** Messages in flight, as many as in the engine. */
const AT_ONCE = 16

async function timed(count: number, send: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  const work = async (): Promise<void> => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return (performance.now() - startedAt) / 1000
}

const calls = {
  /** Returns the seconds for `count` posts with JSON of this size. */
  async post({ port, count, bytes }: PlainOrder): Promise<number> {
    const dispatcher = new Agent({ connections: AT_ONCE })
    const body = JSON.stringify({ text: 'x'.repeat(bytes) })
    const seconds = await timed(count, async (n) => {
      const url = `http://127.0.0.1:${port}/plain?id=${n}`
      const headers = { 'content-type': 'application/json' }
      await (await request(url, { method: 'POST', headers, body, dispatcher })).body.dump()
    })
    await dispatcher.close()
    return seconds
  },
  /** Returns the seconds for `count` mails of this size, each over its own connection, as to many servers. */
  async mail({ port, count, bytes }: PlainOrder): Promise<number> {
    const transport = createTransport({ host: '127.0.0.1', port, secure: false })
    const text = `${'x'.repeat(70)}\n`.repeat(bytes / 2 / 71)
    return timed(count, (n) =>
      transport.sendMail({
        ...{
          from: 'erace@erace.example',
          to: 'plain@sink.example',
          subject: `mail ${n}`,
          text,
          html: `<p>${text}</p>`,
        },
        messageId: `<${n}@erace.example>`,
      }),
    )
  },
  end: () => {},
}
export type PlainCalls = typeof calls
answerCalls(calls)
