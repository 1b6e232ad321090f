import type { Socket } from 'node:net'

export type HostileRequest = { method: string; path: string; query: string; headers: string; origin: string }

export type HostileSettings = {
  /** The pause between two bytes of a slow answer. */
  tickMs: number
  /** What a bomb unpacks to. */
  bombBytes: number
  manyLinks: number
  nestedTags: number
  longUrlChars: number
}

/** How one path misbehaves. It owns the socket until it ends or destroys it. */
export type Behaviour = (socket: Socket, request: HostileRequest, settings: HostileSettings) => void

/** By path; a name with a slash at its end stands for all paths under it. */
export type Behaviours = Record<string, Behaviour>

export function reply(socket: Socket, { status = '200 OK', headers = '', body = '' as string | Buffer }): void {
  const bytes = Buffer.from(body)
  const type = /^content-type:/im.test(headers) ? '' : 'Content-Type: text/html\r\n'
  socket.write(`HTTP/1.1 ${status}\r\n${type}${headers}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1')
  socket.write(bytes)
}

export function linkPage(hrefs: string[]): string {
  return `<!DOCTYPE html><title>Links</title>${hrefs.map((href) => `<a href="${href}">x</a>`).join('\n')}`
}

/** Writes the same piece for as long as the other side takes it, never faster: the server's own memory stays flat. */
export function pourForever(socket: Socket, piece: string | Buffer): void {
  function pour(): void {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', pour)
  pour()
}

/** One byte at a time, beginning again where the text ends. */
export function drip(socket: Socket, text: string, tickMs: number): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), tickMs)
  socket.on('close', () => clearInterval(timer))
}
