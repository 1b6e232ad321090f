import { type Behaviours, drip, pourForever, reply } from './behaviour.ts'

const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const filler = `<p>${'more and more '.repeat(4000)}</p>\n`

/** Bodies and headers that do not end, stall, or are not as long as they say. */
export const hostileBodies: Behaviours = {
  '/endless-body': (socket) => {
    socket.write(`${html}Connection: close\r\n\r\n`)
    pourForever(socket, filler)
  },
  '/endless-chunks': (socket) => {
    socket.write(`${html}Transfer-Encoding: chunked\r\n\r\n`)
    pourForever(socket, `${filler.length.toString(16)}\r\n${filler}\r\n`)
  },
  '/endless-header': (socket) => {
    socket.write(html)
    pourForever(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`)
  },
  '/endless-interim': (socket) => pourForever(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  '/short-body': (socket) => socket.end(`${html}Content-Length: 100000\r\n\r\n<p>that was all`),
  '/long-body': (socket) => socket.end(`${html}Content-Length: 10\r\n\r\n<p>${'much more '.repeat(100)}`),
  '/stalled-body': (socket) => void socket.write(`${html}Content-Length: 9007199254740991\r\n\r\n<p>wait for it`),
  '/slow-header': (socket, _, { tickMs }) => drip(socket, `${html}X-Slow: ${'slow '.repeat(100)}\r\n`, tickMs),
  '/slow-body': (socket, _, { tickMs }) => {
    socket.write(`${html}Content-Length: 1000000\r\n\r\n`)
    drip(socket, '<p>one by one</p>', tickMs)
  },
  '/silent': () => {},
  '/unknown-charset': (socket) =>
    reply(socket, { headers: 'Content-Type: text/html; charset=x-no-such-thing\r\n', body: '<a href="/ok/1">x</a>' }),
  '/empty-charset': (socket) =>
    reply(socket, { headers: 'Content-Type: text/html; charset=\r\n', body: '<meta charset=""><a href="/ok/1">x</a>' }),
  '/lying-charset': (socket) =>
    reply(socket, {
      headers: 'Content-Type: text/html; charset=utf-16le\r\n',
      body: '<a href="/ok/1">plain bytes</a>',
    }),
}
