import type { Socket } from 'node:net'
import { type Behaviour, type Behaviours, reply } from './behaviour.ts'

function redirect(socket: Socket, location: string): void {
  reply(socket, { status: '302 Found', headers: `Location: ${location}\r\n` })
}

function to(location: string): Behaviour {
  return (socket) => redirect(socket, location)
}

/** Redirects that never arrive, or lead where a crawler must not go. */
export const hostileRedirects: Behaviours = {
  '/redirect-self': to('/redirect-self'),
  '/redirect-ping': to('/redirect-pong'),
  '/redirect-pong': to('/redirect-ping'),
  '/redirect-growing/': (socket, { path }) => redirect(socket, `${path}${path.length}/`),
  '/hops/': (socket, { path }) => {
    const left = Number(path.slice('/hops/'.length))
    if (left > 0) redirect(socket, `/hops/${left - 1}`)
    else reply(socket, { body: 'arrived' })
  },
  '/redirect-file': to('file:///etc/passwd'),
  '/redirect-javascript': to('javascript:alert(1)'),
  '/redirect-data': to('data:text/html,<a href=/ok/1>x</a>'),
  '/redirect-ftp': to('ftp://127.0.0.1/'),
  '/redirect-metadata': to('http://169.254.169.254/latest/meta-data/'),
  '/redirect-metadata-decimal': to('http://2852039166/latest/meta-data/'),
  '/redirect-private': to('http://10.0.0.1/'),
  '/redirect-loopback-v6': to('http://[::1]/'),
  '/redirect-mapped-v6': to('http://[::ffff:10.0.0.1]/'),
  '/redirect-credentials': to('http://user:secret@10.0.0.1/'),
  '/redirect-empty': to(''),
  '/redirect-nowhere': (socket) => reply(socket, { status: '302 Found' }),
  '/redirect-unreadable': to('http://[not-an-address/'),
  '/redirect-long': to(`/${'x'.repeat(100_000)}`),
}
