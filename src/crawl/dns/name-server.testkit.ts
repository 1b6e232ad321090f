import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServerAnswer = { addresses?: string[]; ttlSeconds?: number; rcode?: number } | 'silent'
export type NameServer = { server: string; questions: string[]; close(): Promise<void> }

/** A name server on loopback that speaks just enough of RFC 1035 to answer A and AAAA queries. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA', nth: number) => NameServerAnswer,
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  const seen = new Map<string, number>()
  socket.on('message', (message, peer) => {
    const { name, type, end } = readQuestion(message)
    const key = `${name} ${type}`
    questions.push(key)
    const nth = seen.get(key) ?? 0
    seen.set(key, nth + 1)
    const reply = answer(name, type, nth)
    if (reply !== 'silent') socket.send(writeReply(message, end, type, reply), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(message: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = []
  let at = 12
  while (message[at] !== 0) {
    const length = message[at]!
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A', end: at + 5 }
}

function writeReply(
  message: Buffer,
  end: number,
  type: 'A' | 'AAAA',
  reply: Exclude<NameServerAnswer, 'silent'>,
): Buffer {
  const addresses = (reply.addresses ?? []).filter((address) => address.includes(':') === (type === 'AAAA'))
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (reply.rcode ?? 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : v6Data(address)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type === 'A' ? 1 : 28, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(reply.ttlSeconds ?? 60, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, message.subarray(12, end), ...records])
}

/** Full notation only: eight groups. */
function v6Data(address: string): Buffer {
  const data = Buffer.alloc(16)
  address.split(':').forEach((group, index) => {
    data.writeUInt16BE(Number.parseInt(group, 16), index * 2)
  })
  return data
}
