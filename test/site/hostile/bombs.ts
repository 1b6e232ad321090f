import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Behaviour, type Behaviours, reply } from './behaviour.ts'

type Pack = (plain: Buffer) => Buffer

const gzip: Pack = (plain) => gzipSync(plain, { level: 6 })

/** Bombs are packed when they are first asked for, and kept: packing takes longer than sending. */
const packed = new Map<string, Buffer>()

function bomb(encoding: string, pack: Pack): Behaviour {
  return (socket, { path }, { bombBytes }) => {
    const key = `${path} ${bombBytes}`
    const body = packed.get(key) ?? pack(Buffer.alloc(bombBytes, '<p>zip zip</p>\n'))
    packed.set(key, body)
    reply(socket, { headers: `Content-Encoding: ${encoding}\r\n`, body })
  }
}

/** Small answers that unpack to very large ones, and encodings that are wrong. */
export const hostileBombs: Behaviours = {
  '/bomb-gzip': bomb('gzip', gzip),
  '/bomb-deflate': bomb('deflate', (plain) => deflateSync(plain)),
  '/bomb-br': bomb('br', (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })),
  '/bomb-zstd': bomb('zstd', (plain) => zstdCompressSync(plain)),
  '/bomb-nested': bomb('gzip, gzip', (plain) => gzip(gzip(plain))),
  '/bomb-layers': bomb(Array(40).fill('gzip').join(', '), (plain) => {
    let layers = plain.subarray(0, 1000)
    for (let layer = 0; layer < 40; layer++) layers = gzip(layers)
    return layers
  }),
  '/damaged-gzip': (socket) => reply(socket, { headers: 'Content-Encoding: gzip\r\n', body: 'this was never packed' }),
  '/cut-gzip': (socket) =>
    reply(socket, {
      headers: 'Content-Encoding: gzip\r\n',
      body: gzip(Buffer.alloc(100_000, 'cut off ')).subarray(0, 100),
    }),
  '/unknown-encoding': (socket) => reply(socket, { headers: 'Content-Encoding: x-knot\r\n', body: 'tied up' }),
}
