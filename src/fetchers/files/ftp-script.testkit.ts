import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export type FtpScript = {
  /** Replies to commands, by their first word, instead of the default ones; null for no reply. */
  replies?: Record<string, string | null | ((argument: string) => string | null)>
  /** Content of every listing, or of one by the argument of its command. */
  listing?: string | ((argument: string) => string)
  /** Content of every file; a function controls the data connection itself. */
  body?: Buffer | ((data: Socket) => void)
  /** Instead of the default greeting. */
  greeting?: string
}

/** A scripted FTP server, for replies that real servers never send. */
export async function startFtpScript({
  replies = {},
  listing = '',
  body = Buffer.of(),
  greeting = '220 Hello',
}: FtpScript) {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((control) => {
    keep(control)
    control.setEncoding('latin1').write(`${greeting}\r\n`)
    const data = createServer(keep).listen(0, '127.0.0.1')
    control.on('close', () => data.close())
    let rest = ''
    control.on('data', (text: string) => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        commands.push(line)
        void answer(line)
      }
    })

    async function answer(line: string): Promise<void> {
      const [, word = '', argument = ''] = /^(\S*) ?(.*)$/s.exec(line) ?? []
      if (Object.hasOwn(replies, word)) {
        const given = replies[word]
        const reply = typeof given === 'function' ? given(argument) : given
        if (reply !== null) control.write(`${reply}\r\n`)
        return
      }
      const { port } = data.address() as AddressInfo
      if (word === 'USER') control.write('331 Password\r\n')
      else if (word === 'PASS') control.write('230 In\r\n')
      else if (word === 'PWD') control.write('257 "/"\r\n')
      else if (word === 'CWD' || word === 'TYPE') control.write('250 Fine\r\n')
      else if (word === 'EPSV') control.write(`229 Passive (|||${port}|)\r\n`)
      else if (word === 'PASV') control.write(`227 Passive (127,0,0,1,${port >> 8},${port & 255})\r\n`)
      else if (['LIST', 'MLSD', 'RETR'].includes(word)) await transfer(word, argument)
      else control.write('500 Unknown\r\n')
    }

    async function transfer(word: string, argument: string): Promise<void> {
      const connection = [...sockets].find(
        (socket) => socket !== control && socket.localPort === (data.address() as AddressInfo).port,
      )
      const socket = connection ?? ((await once(data, 'connection'))[0] as Socket)
      control.write('150 Here it comes\r\n')
      if (word === 'RETR' && typeof body === 'function') return body(socket)
      const listed = typeof listing === 'function' ? listing(argument) : listing
      socket.end(word === 'RETR' ? (body as Buffer) : Buffer.from(listed, 'latin1'))
      await once(socket, 'close')
      control.write('226 Done\r\n')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Command lines received. */
    commands,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
