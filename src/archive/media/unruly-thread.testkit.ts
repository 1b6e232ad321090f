import { parentPort } from 'node:worker_threads'
import { type Converter, Unreadable } from './converter.ts'
import { serveConverters } from './serve-converters.ts'

/** A converter that does what the document says, as a faulty library would. */

let documents = 0
const kept: unknown[] = []

const unruly: Converter = async (body) => {
  documents++
  const text = body.toString()
  if (text === 'loop') for (;;);
  if (text === 'wait') await new Promise(() => setInterval(() => {}, 1e6))
  if (text === 'memory') for (;;) kept.push(new Uint8Array(1 << 20).fill(1))
  if (text === 'objects') for (;;) kept.push({ documents })
  if (text === 'deep') return deeper(0)
  if (text === 'exit') process.exit(3)
  if (text === 'throw later')
    setImmediate(() => {
      throw new Error('nobody catches this')
    })
  if (text === 'throw later') await new Promise(() => {})
  if (text === 'locked') throw new Unreadable('encrypted')
  if (text === 'throw') throw new TypeError('a fault')
  return { html: `${text} as document ${documents} of its thread` }
}

function deeper(depth: number): { html: string } {
  return { html: deeper(depth + 1).html + depth }
}

serveConverters(parentPort!, { pdf: async () => unruly })
