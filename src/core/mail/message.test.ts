import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMessage } from './message.ts'

test('the lines of a body are joined as they come, not kept as objects of their own', async (t) => {
  const pieces: number[] = []
  const original = globalThis.Blob
  class CountingBlob extends original {
    constructor(chunks: Iterable<Uint8Array<ArrayBuffer>>, options: { type: string }) {
      const all = [...chunks]
      pieces.push(all.length)
      super(all, options)
    }
  }
  globalThis.Blob = CountingBlob as unknown as typeof original
  t.after(() => {
    globalThis.Blob = original
  })
  for (const encoding of ['8bit', 'base64', 'quoted-printable']) {
    const source = `Content-Transfer-Encoding: ${encoding}\n\n${'QQ==\n'.repeat(5000)}`
    assert.notEqual((await parseMessage(Buffer.from(source))).text.length, 0)
  }
  assert.deepEqual(pieces, [1, 1, 1])
})

test('a message is known by its id, whatever is around it', async () => {
  const idOf = async (field: string) => (await parseMessage(Buffer.from(`${field}\n\n`))).id
  assert.equal(await idOf('Message-ID: <a@b>'), 'a@b')
  assert.equal(await idOf('message-id:\n <a@b> (comment)'), 'a@b')
  assert.equal(await idOf('Message-Id: a@b'), 'a@b')
  for (const none of [
    'Subject: x',
    'Message-ID:',
    'Message-ID: <>',
    'Message-ID: a b',
    `Message-ID: <${'a'.repeat(300)}>`,
  ])
    assert.equal(await idOf(none), null, none)
})

test('a message refers to others, the answered one last, each once', async () => {
  const { references } = await parseMessage(
    Buffer.from('References: <1@x>\n <2@x> broken <3@x>\nIn-Reply-To: Your message <2@x> of today\n\n'),
  )
  assert.deepEqual(references, ['1@x', '3@x', '2@x'])
})
